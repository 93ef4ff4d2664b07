import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { Breaker, Run, Step } from "../../mcp/contract/domain.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import type { Question, ShownValue } from "../contract/consent.ts";
import { toOutcome } from "../mcp-endpoint/tool-result.ts";
import { previewCommand, previewInput } from "./terminal-preview.ts";
import { shown, shownTime } from "./visible.ts";

/** What the person is told about one call: what it does, to what, as main has just read it. */
export interface Preview extends Pick<
  Question,
  "title" | "consequence" | "target" | "effects" | "not_reached"
> {
  /** Arguments whose values `target` has in full, in a form that reads better. */
  readonly told?: readonly string[];
  /** The part of the target that must still be the same when the call is forwarded. JSON. */
  readonly watched: unknown;
}

export type PreviewResult = { readonly preview: Preview } | { readonly error: ToolError };

/** Reads through the hub, on the connection of the call, in main's own name. */
export type ReadTool = (tool: string, args: Record<string, unknown>) => Promise<CallToolResult>;

type Previewer = (args: Record<string, unknown>, read: ReadTool) => Promise<Preview>;

/**
 * Reads the target of a call and says what would happen. A target that is not there, or cannot be read, is an error: then
 * nobody is asked, because nobody could know what about.
 */
export async function previewCall(
  row: ToolRow,
  args: Record<string, unknown>,
  read: ReadTool,
): Promise<PreviewResult> {
  const previewer = PREVIEWERS[row.name] ?? unknownTarget(row);
  try {
    return { preview: await previewer(args, read) };
  } catch (cause) {
    if (cause instanceof ReadFailed) return { error: cause.error };
    throw cause;
  }
}

class ReadFailed extends Error {
  override readonly name = "ReadFailed";
  readonly error: ToolError;
  constructor(error: ToolError) {
    super(error.error);
    this.error = error;
  }
}

const Steps = z.looseObject({ steps: z.array(Step) });
const Breakers = z.looseObject({ items: z.array(Breaker) });

const PREVIEWERS: Readonly<Record<string, Previewer>> = {
  ironflow_terminal_run: previewCommand,
  ironbridge_terminal_input: previewInput,
  async ironflow_delete_run(args, read) {
    const run = await readRun(args, read);
    const { steps } = await readAs(Steps, read, "ironflow_get_run_steps", { run_id: run.id });
    return {
      title: "Delete a run",
      consequence: `The run and its ${count(steps.length, "step")} are deleted for good. Nothing brings them back.`,
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
  },
  async ironflow_cancel_run(args, read) {
    const run = await readRun(args, read);
    return {
      title: "Cancel a run",
      consequence: "No further step of this run starts. It ends as cancelled, for good.",
      target: runRows(run),
      effects: ["The run ends as cancelled."],
      not_reached: ["Steps that are done stay done; nothing is rolled back."],
      // A run that is under way moves on by itself; that is no reason to ask again.
      watched: { id: run.id, function_id: run.function_id },
    };
  },
  async ironflow_circuit_breaker_reset(args, read) {
    const { items } = await readAs(Breakers, read, "ironflow_circuit_breaker_list", {});
    const breaker = items.find(({ key }) => key === args["key"]);
    if (breaker === undefined) throw new ReadFailed(NO_BREAKER);
    const { waiting_runs: waiting } = breaker;
    return {
      title: "Reset a circuit breaker",
      consequence: "The runs that it holds back are sent to the endpoint at once.",
      target: breakerRows(breaker),
      effects: [
        "The breaker is closed.",
        waiting === undefined
          ? "The runs it holds back start."
          : `${count(waiting, "run")} that it holds back start.`,
      ],
      not_reached: ["The cause is not mended: after more failures it opens again."],
      watched: { key: breaker.key, state: breaker.state },
    };
  },
};

const NO_BREAKER: ToolError = {
  error: "There is no such circuit breaker.",
  code: "not_found",
  retryable: false,
};

/** A tool whose target main cannot read: the person decides by the arguments, and is told so. */
function unknownTarget(row: ToolRow): Previewer {
  return async () => ({
    title: row.title,
    consequence:
      row.risk === "irreversible"
        ? "This cannot be undone. What it reaches could not be read beforehand."
        : "This changes data. What it reaches could not be read beforehand.",
    target: [],
    effects: [],
    not_reached: [],
    watched: null,
  });
}

async function readRun(args: Record<string, unknown>, read: ReadTool): Promise<Run> {
  const run = await readAs(Run, read, "ironflow_get_run", { run_id: args["run_id"] });
  if (run.id === args["run_id"]) return run;
  throw new ReadFailed({
    error: "The engine was asked for one run and answered with another. Nothing was changed.",
    code: "internal",
    retryable: false,
  });
}

async function readAs<T>(
  schema: z.ZodType<T>,
  read: ReadTool,
  tool: string,
  args: Record<string, unknown>,
): Promise<T> {
  const outcome = toOutcome(await read(tool, args));
  if (!outcome.ok) throw new ReadFailed(outcome.error);
  const parsed = schema.safeParse(outcome.data);
  if (parsed.success) return parsed.data;
  throw new ReadFailed({
    error: `What is to be changed could not be read: ${tool} answered in an unknown form. Nothing was changed.`,
    code: "internal",
    retryable: false,
  });
}

function runRows(run: Run): ShownValue[] {
  return [
    shown("Run", run.id),
    shown("Function", run.function_id),
    shown("Status", run.status),
    ...optionalRow("Event", run.event_name ?? run.event_id),
    shownTime("Created", run.created_at),
    ...(run.ended_at === undefined ? [] : [shownTime("Ended", run.ended_at)]),
    ...optionalRow("Error", run.error?.message),
  ];
}

function breakerRows(breaker: Breaker): ShownValue[] {
  return [
    shown("Breaker", breaker.key),
    shown("Function", breaker.function_id),
    shown("Endpoint", breaker.endpoint),
    shown("State", breaker.state),
    shown("Failures in a row", String(breaker.consecutive_fails)),
    ...optionalRow("Last failure", breaker.last_failure_reason),
  ];
}

const optionalRow = (label: string, text: string | undefined): ShownValue[] =>
  text === undefined ? [] : [shown(label, text)];

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
