import { TERMINAL_RUN_STATUSES } from "../../engine/contract/enums.ts";
import { OUTBOX_LIMIT_MAX } from "../contract/tools/outbox.ts";
import type { ToolInput } from "../contract/tools.ts";
import { ToolFailure } from "../upstream/tool-failure.ts";
import type { ToolContext } from "./tools/handler.ts";

/** What the person is asked before an irreversible call: the target as it is now, and what would be lost. */
type Question<Input> = (input: Input, context: Pick<ToolContext, "engine" | "signal">) => Promise<string>;

/** The engine refuses an unfinished run; nobody should have to answer a question that leads nowhere. */
const finishedRun = async (
  run_id: string,
  verb: string,
  { engine, signal }: Parameters<Question<never>>[1],
) => {
  const run = await engine.getRun(run_id, { signal });
  if ((TERMINAL_RUN_STATUSES as readonly string[]).includes(run.status)) return run;
  throw new ToolFailure({
    code: "failed_precondition",
    message: `run ${run_id} is ${run.status}; only a finished run can be ${verb}, and nothing was changed`,
    retryable: false,
    hint: "Cancel it first with ironflow_cancel_run, if the person wants that.",
  });
};

const deleteRun: Question<ToolInput<"ironflow_delete_run">> = async ({ run_id }, context) => {
  const run = await finishedRun(run_id, "deleted", context);
  return (
    `Delete run ${run.id} for good? It is ${run.status}, of function ${run.function_id}, created ${run.created_at}, on ${context.engine.url}. ` +
    "Its input, output, errors and steps are lost and cannot be brought back."
  );
};

const redactRun: Question<ToolInput<"ironflow_redact_run">> = async ({ run_id }, context) => {
  const run = await finishedRun(run_id, "redacted", context);
  return (
    `Redact run ${run.id} for good? It is ${run.status}, of function ${run.function_id}, created ${run.created_at}, on ${context.engine.url}. ` +
    "Its input, output and error, its steps' errors and its attempts' errors, and by some engines its steps' inputs and outputs, are replaced by a placeholder and cannot be brought back."
  );
};

const redactStep: Question<ToolInput<"ironflow_redact_step">> = async ({ step_id }, { engine, signal }) => {
  const described = await describeStep(step_id, { engine, signal });
  return (
    `Redact ${described} for good, on ${engine.url}? ` +
    "Its output, first output and error, its input where it has one, and its run's error, are replaced by a placeholder and cannot be brought back."
  );
};

/** No engine reads one step by its row id; where the id begins with the run's, the run's steps tell. */
async function describeStep(
  stepId: string,
  { engine, signal }: Parameters<Question<never>>[1],
): Promise<string> {
  const runId = /^(run_[A-Za-z0-9_-]+):/.exec(stepId)?.[1];
  if (runId === undefined) return `the step with the row id ${stepId}`;
  const { steps } = await engine.getRunSteps(runId, { signal });
  const step = steps.find(({ id }) => id === stepId);
  if (step !== undefined) return `step ${step.name} (${step.status}, row id ${stepId}) of run ${runId}`;
  throw new ToolFailure({
    code: "not_found",
    message: `run ${runId} has no step with the row id ${stepId}; nothing was changed`,
    retryable: false,
    hint: "Take the field id of ironflow_get_run_steps.",
  });
}

const redactEvent: Question<ToolInput<"ironflow_redact_event">> = async (
  { event_id },
  { engine, signal },
) => {
  const event = await engine.getEvent(event_id, { signal });
  return (
    `Redact event ${event.id} for good? It is ${event.name}, of ${event.timestamp}, on ${engine.url}. ` +
    "Its data is replaced by a placeholder, snapshots derived from it are dropped, and nothing brings them back. Runs that it started are not reached."
  );
};

const deleteStream: Question<ToolInput<"ironflow_delete_stream">> = async (
  { entity_id, purge },
  { engine, signal },
) => {
  const stream = await engine.getStream(entity_id, { signal });
  const size = `${stream.event_count ?? stream.version} events`;
  return (
    `Delete the entity stream ${stream.entity_id} for good? It has ${size}, type ${stream.entity_type ?? "unknown"}, on ${engine.url}. ` +
    (purge
      ? "It takes no further events, its snapshots are dropped, and every event in it is deleted. Nothing brings them back."
      : "It takes no further events and its snapshots are dropped. Nothing brings it back; its events stay readable.")
  );
};

const discardOutbox: Question<ToolInput<"ironflow_outbox_dlq_discard">> = async (
  { event_id, env },
  { engine, signal },
) => {
  const page = await engine.listOutboxDeadLetters({ env, limit: OUTBOX_LIMIT_MAX, offset: 0 }, { signal });
  const rows = page.items.filter((row) => row.event_id === event_id).length;
  const isWhole = page.count < OUTBOX_LIMIT_MAX;
  if (rows === 0 && isWhole)
    throw new ToolFailure({
      code: "not_found",
      message: `no dead outbox row has the event id ${event_id}; nothing was changed`,
      retryable: false,
      hint: "Look at ironflow_outbox_dlq_list: it may have been requeued or discarded already.",
    });
  return (
    `Discard ${isWhole ? "" : "at least "}${rows} dead outbox row${rows === 1 ? "" : "s"} of event ${event_id} in ${env}, for good, on ${engine.url}? ` +
    "Every row that shares the event id goes. What they were to deliver is never delivered; the event itself stays."
  );
};

/** One per irreversible row; a test compares. */
export const QUESTIONS = {
  ironflow_delete_run: deleteRun,
  ironflow_redact_run: redactRun,
  ironflow_redact_step: redactStep,
  ironflow_redact_event: redactEvent,
  ironflow_delete_stream: deleteStream,
  ironflow_outbox_dlq_discard: discardOutbox,
} as const;

export type IrreversibleName = keyof typeof QUESTIONS;
