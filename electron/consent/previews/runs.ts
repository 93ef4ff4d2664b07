import * as z from "zod/v4";
import { Run, Step } from "../../../mcp/contract/domain.ts";
import type { ShownValue } from "../../contract/consent.ts";
import { shown, shownTime } from "../visible.ts";
import {
  count,
  notFound,
  optionalRow,
  optionalTime,
  readAs,
  ReadFailed,
  type Previewer,
  type ReadTool,
} from "./read-target.ts";

const Steps = z.looseObject({ steps: z.array(Step) });
const Attempts = z.looseObject({ attempts: z.array(z.unknown()) });

/** The states in which an engine deletes and redacts a run. */
const FINISHED: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

export const deleteRun: Previewer = async (args, read) => {
  const run = await readFinishedRun(String(args["run_id"]), read, "deleted");
  const steps = await readSteps(run.id, read);
  return {
    title: "Delete a run",
    consequence:
      steps.length === 0
        ? "The run is deleted for good. Nothing brings it back."
        : `The run and its ${count(steps.length, "step")} are deleted for good. Nothing brings them back.`,
    target: [...runRows(run), shown("Steps", String(steps.length))],
    effects: [
      "The run's input, output, error and history are deleted.",
      `${count(steps.length, "step")} with inputs, outputs and errors ${steps.length === 1 ? "is" : "are"} deleted.`,
    ],
    not_reached: [
      "The event that started the run stays.",
      "Other runs that it started stay.",
      "What its steps did outside the engine is not undone.",
    ],
    watched: { run, steps },
  };
};

export const cancelRun: Previewer = async (args, read) => {
  const run = await readRun(String(args["run_id"]), read);
  return {
    title: "Cancel a run",
    consequence: "No further step of this run starts. It ends as cancelled, for good.",
    target: runRows(run),
    effects: ["The run ends as cancelled."],
    not_reached: ["Steps that are done stay done; nothing is rolled back."],
    // A run that is under way moves on by itself; that is no reason to ask again.
    watched: { id: run.id, function_id: run.function_id },
  };
};

export const redactRun: Previewer = async (args, read) => {
  const run = await readFinishedRun(String(args["run_id"]), read, "redacted");
  const steps = await readSteps(run.id, read);
  const { attempts } = await readAs(Attempts, read, "ironbridge_get_run_attempts", { run_id: run.id });
  const withErrors = steps.filter(({ error }) => error !== undefined).length;
  return {
    title: "Redact a run",
    consequence: "What the run took, gave and failed with is replaced by a placeholder, for good.",
    target: [...runRows(run), shown("Steps", String(steps.length))],
    effects: [
      "The run's input, output and error are replaced.",
      `The errors of its ${count(steps.length, "step")} are replaced (${withErrors} of them now ${withErrors === 1 ? "has" : "have"} one).`,
      `The errors of ${count(attempts.length, "recorded attempt")} and the audit payloads of the run and its steps are replaced.`,
      "The inputs and outputs of its steps, and what repeats them elsewhere, are replaced by some engines too, Ironbridge's own among them.",
    ],
    not_reached: [
      "The run and its steps stay in lists, with names, states and times.",
      "The event that started it keeps its data, unless it was made for this run alone; other runs that it started keep theirs.",
      "What its steps did outside the engine is not undone.",
    ],
    watched: { run, steps, attempts },
  };
};

export const redactStep: Previewer = async (args, read) => {
  const id = String(args["step_id"]);
  // No engine reads one step by its row id; the row id begins with the run's.
  const runId = /^(run_[A-Za-z0-9_-]+):/.exec(id)?.[1];
  if (runId === undefined) return unreadableStep(id);
  const run = await readRun(runId, read);
  const step = (await readSteps(runId, read)).find((one) => one.id === id);
  if (step === undefined) throw notFound(`step with this row id in the run ${runId}`);
  return {
    title: "Redact a step",
    consequence: "What the step gave and failed with is replaced by a placeholder, for good.",
    target: [
      shown("Step", step.name),
      shown("Row id", step.id),
      shown("Step state", step.status),
      ...runRows(run),
    ],
    effects: [
      "The step's output, its first output and its error are replaced, and its input where it has one.",
      "Its run's error is replaced.",
      "Every recorded attempt error and audit payload of the step, and the run's own retry errors, are replaced; the engine does not say how many.",
    ],
    not_reached: [
      "Other steps of the run, its input and its output stay.",
      "The event that started the run keeps its data.",
    ],
    watched: { step, run },
  };
};

function unreadableStep(id: string): Awaited<ReturnType<Previewer>> {
  return {
    title: "Redact a step",
    consequence:
      "What this step gave and failed with is replaced by a placeholder, for good. The engine does not tell which step it is.",
    target: [shown("Row id", id)],
    effects: [
      "The step's output, its first output, its error and its input, where it has one, are replaced, and its run's error.",
      "At least 1 row is changed; the engine does not say how many.",
    ],
    not_reached: ["Other steps of its run stay."],
    watched: { id },
  };
}

async function readRun(id: string, read: ReadTool): Promise<Run> {
  const run = await readAs(Run, read, "ironflow_get_run", { run_id: id });
  if (run.id === id) return run;
  throw new ReadFailed({
    error: "The engine was asked for one run and answered with another. Nothing was changed.",
    code: "internal",
    retryable: false,
  });
}

/** Nobody should have to answer a question that leads nowhere: the engine refuses a run that is not finished. */
async function readFinishedRun(id: string, read: ReadTool, done: string): Promise<Run> {
  const run = await readRun(id, read);
  if (FINISHED.has(run.status)) return run;
  throw new ReadFailed({
    error: `The run is ${run.status}; only a finished run can be ${done}. Nothing was changed.`,
    code: "failed_precondition",
    retryable: false,
    hint: "Cancel it first with ironflow_cancel_run, if the person wants that.",
  });
}

const readSteps = async (runId: string, read: ReadTool): Promise<Step[]> =>
  (await readAs(Steps, read, "ironflow_get_run_steps", { run_id: runId })).steps;

function runRows(run: Run): ShownValue[] {
  return [
    shown("Run", run.id),
    shown("Function", run.function_id),
    shown("Status", run.status),
    ...optionalRow("Event", run.event_name ?? run.event_id),
    shownTime("Created", run.created_at),
    ...optionalTime("Ended", run.ended_at),
    ...optionalRow("Error", run.error?.message),
  ];
}
