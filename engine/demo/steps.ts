import type { PushRequest } from "../contract/push.ts";

/** What a handler does with its steps; a step that was done in an earlier call is not done again (section 3.3). */
export interface Steps {
  /** Does `work` once, however often the handler is called. */
  run<T>(name: string, work: () => Promise<T> | T): Promise<T>;
  /** Goes on after `ms` milliseconds, also when this process is gone meanwhile. */
  sleep(name: string, ms: number): Promise<void>;
  /** Goes on with the event that comes, compared with the run's own event at the path `match`. */
  waitForEvent(name: string, filter: { event: string; match?: string; timeout?: string }): Promise<unknown>;
  /** Runs another function and goes on with its result. */
  invoke(name: string, input: unknown, timeoutMs?: number): Promise<unknown>;
}

/** Something that doing it again may mend. Any other error says that it will not. */
export class RetryableError extends Error {
  override readonly name = "RetryableError";
}

export type Handler = (input: {
  event: PushRequest["event"];
  runId: string;
  steps: Steps;
}) => Promise<unknown>;

/** Leaves the handler; the engine calls it again when what it waits for is there. */
class Yielded extends Error {
  readonly wanted: Record<string, unknown>;
  constructor(wanted: Record<string, unknown>) {
    super("yielded");
    this.wanted = wanted;
  }
}

class StepFailed extends Error {
  readonly stepId: string;
  constructor(stepId: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.stepId = stepId;
  }
}

const escape = (name: string) => name.replace(/[\\:]/g, (char) => `\\${char}`);

/** Calls a handler with what was done before and answers what the engine wants to hear (section 3.2). */
export async function answerPush(request: PushRequest, handler: Handler): Promise<Record<string, unknown>> {
  const done = new Map((request.steps ?? []).map((step) => [step.id, step]));
  const executed: Record<string, unknown>[] = [];
  const uses = new Map<string, number>();
  const idOf = (name: string): string => {
    const n = uses.get(name) ?? 0;
    uses.set(name, n + 1);
    return `${request.run_id}:${escape(name)}:${n}`;
  };

  async function run<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    const id = idOf(name);
    const before = done.get(id);
    // The output was this step's own result when it was done.
    if (before?.status === "completed") return before.output as T;
    const startedAt = new Date();
    const record = (rest: Record<string, unknown>) => {
      const endedAt = new Date();
      executed.push({
        id,
        name,
        type: "invoke",
        started_at: startedAt.toISOString(),
        ended_at: endedAt.toISOString(),
        duration_ms: endedAt.getTime() - startedAt.getTime(),
        ...rest,
      });
    };
    try {
      const output = await work();
      record({ status: "completed", output: output ?? null });
      return output;
    } catch (error) {
      const retryable = error instanceof RetryableError;
      record({ status: "failed", error: { message: messageOf(error), retryable } });
      throw new StepFailed(id, error);
    }
  }

  const waitFor = (id: string, wanted: Record<string, unknown>): unknown => {
    const before = done.get(id);
    if (before?.status === "completed") return before.output;
    if (before !== undefined) throw new Error(before.error ?? `step ${id} ${before.status}`);
    throw new Yielded({ step_id: id, ...wanted });
  };

  const steps: Steps = {
    run,
    sleep: async (name, ms) => {
      waitFor(idOf(name), { type: "sleep", until: new Date(Date.now() + ms).toISOString() });
    },
    waitForEvent: async (name, filter) =>
      waitFor(idOf(name), { type: "wait_for_event", event_filter: filter }),
    invoke: async (functionId, input, timeoutMs = 30_000) =>
      waitFor(idOf(functionId), {
        type: "invoke_function",
        function_id: functionId,
        input,
        invoke_timeout_ms: timeoutMs,
      }),
  };

  try {
    const result = await handler({ event: request.event, runId: request.run_id, steps });
    return { status: "completed", steps: executed, result: result ?? null };
  } catch (error) {
    if (error instanceof Yielded) return { status: "yielded", steps: executed, yield: error.wanted };
    return { status: "failed", steps: executed, error: failure(error) };
  }
}

function failure(error: unknown): Record<string, unknown> {
  const inStep = error instanceof StepFailed;
  const cause = inStep ? error.cause : error;
  return {
    message: messageOf(cause),
    code: inStep ? "STEP_FAILED" : "ERROR",
    retryable: cause instanceof RetryableError,
    ...(inStep ? { step_id: error.stepId } : {}),
    ...(cause instanceof Error && cause.stack !== undefined ? { stack: cause.stack } : {}),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
