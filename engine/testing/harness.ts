import type { PushRequest, PushResponse, StepResult } from "../contract/push.ts";
import { PushRequest as PushRequestSchema } from "../contract/push.ts";
import { RegisterFunctionRequest } from "../contract/register.ts";
import type { Core } from "../core.ts";
import type { DispatchLimits } from "../execute/dispatcher.ts";
import { emitAndRoute } from "../execute/emit.ts";
import { registerFunction } from "../execute/functions.ts";
import { toFunctionConfig } from "../execute/function-config.ts";
import type { PushOutcome } from "../execute/push.ts";
import type { RetentionRules } from "../execute/retention.ts";
import { createEngine } from "../engine.ts";
import { toJsonText } from "../json/json-text.ts";
import { secretsKeysOf, toSecretsKey, type SecretsKeys } from "../secrets/keys.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";

export const ENV = "env_default";

type Script = (request: PushRequest) => PushOutcome | Promise<PushOutcome>;

/** The engine in this process: a store in memory, a clock moved by hand, functions that are plain functions. */
export interface Harness {
  core: Core;
  clock: FakeClock;
  /** Every request a function received, oldest first. */
  calls: PushRequest[];
  /** The time each of them was given, ms. */
  budgetsMs: number[];
  /** Registers a function and says how its endpoint answers. */
  define(id: string, script: Script, config?: Partial<RegisterFunctionRequest>): Promise<void>;
  emit(name: string, data?: unknown, idempotencyKey?: string): Promise<{ eventId: string; runIds: string[] }>;
  change<T>(work: (tx: Tx) => T): Promise<T>;
  run(id: string): RunRow;
  steps(runId: string): StepRow[];
  /** Lets the engine work until `seen`; fails when it stands still before. */
  until(what: string, seen: () => boolean): Promise<void>;
  /** Lets the engine work until nothing more happens. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const turnsPerSettle = 40;

export async function createHarness(
  options: {
    file?: string;
    limits?: DispatchLimits;
    clock?: FakeClock;
    retention?: RetentionRules;
    secretsKeys?: SecretsKeys;
    pushTimeoutMs?: number;
  } = {},
): Promise<Harness> {
  const clock = options.clock ?? createFakeClock();
  const scripts = new Map<string, Script>();
  const calls: PushRequest[] = [];
  const budgetsMs: number[] = [];
  const cuts = new Set<() => void>();
  const silent = () => {};
  const engine = createEngine({
    file: options.file ?? ":memory:",
    clock,
    log: { info: silent, warn: silent, error: silent },
    retention: options.retention,
    secretsKeys: options.secretsKeys ?? secretsKeysOf(toSecretsKey(Buffer.alloc(32, 7))),
    pushTimeoutMs: options.pushTimeoutMs,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    push: {
      call: ({ body, budgetMs }) => {
        budgetsMs.push(budgetMs);
        const request = PushRequestSchema.parse(JSON.parse(body));
        calls.push(request);
        const script = scripts.get(request.function_id) ?? (() => down("no script"));
        return new Promise((resolve) => {
          const end = (outcome: PushOutcome) => {
            cuts.delete(cut);
            resolve(outcome);
          };
          const cut = () => end(down("cut off"));
          cuts.add(cut);
          Promise.resolve(script(request)).then(end, (error: unknown) => end(down(String(error))));
        });
      },
      close: () => {
        for (const cut of cuts) cut();
      },
    },
  });
  const { core } = engine;
  await core.writer.write((tx) => core.store.environments.ensure("default", tx.nowMs));
  await engine.start();

  const settle = async () => {
    for (let turn = 0; turn < turnsPerSettle; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
  };

  return {
    core,
    clock,
    calls,
    budgetsMs,
    define: async (id, script, config = {}) => {
      scripts.set(id, script);
      const request = RegisterFunctionRequest.parse({ id, endpointUrl: `http://shop.test/${id}`, ...config });
      await core.writer.write((tx) => registerFunction(core, tx, ENV, id, toFunctionConfig(request), ""));
    },
    emit: (name, data = {}, idempotencyKey) =>
      emitAndRoute(core, {
        environmentId: ENV,
        name,
        data: toJsonText(data),
        version: 1,
        source: "test",
        idempotencyKey,
      }),
    change: (work) => core.writer.write(work),
    run: (id) => {
      const run = core.store.runs.get(id);
      if (run === undefined) throw new Error(`no run ${id}`);
      return run;
    },
    steps: (runId) => core.store.steps.byRun(runId),
    until: async (what, seen) => {
      for (let turn = 0; turn < 2_000; turn += 1) {
        if (seen()) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(`did not happen: ${what}`);
    },
    settle,
    stop: async () => {
      const stopped = engine.stop(0);
      clock.advance(0);
      await stopped;
    },
  };
}

/** Answers of a function. */

export function completed(result: unknown = null, steps: StepResult[] = []): PushOutcome {
  return answer({ status: "completed", steps, result });
}

export function failed(message: string, retryable: boolean, steps: StepResult[] = []): PushOutcome {
  return answer({ status: "failed", steps, error: { message, retryable } });
}

export function yielded(
  wanted: Extract<PushResponse, { status: "yielded" }>["yield"],
  steps: StepResult[] = [],
): PushOutcome {
  return answer({ status: "yielded", steps, yield: wanted });
}

/** One that sleeps in the step `nap` until a moment, ms. */
export function asleep(
  request: Pick<PushRequest, "run_id">,
  untilMs: number,
  steps: StepResult[] = [],
): PushOutcome {
  const until = new Date(untilMs).toISOString();
  return yielded({ type: "sleep", step_id: `${request.run_id}:nap:0`, until }, steps);
}

export function down(reason: string): PushOutcome {
  return { kind: "transport", reason };
}

function answer(value: PushResponse): PushOutcome {
  return { kind: "answer", answer: value };
}

export function step(runId: string, name: string, output: unknown = null): StepResult {
  const at = new Date(0).toISOString();
  return {
    id: `${runId}:${name}:0`,
    name,
    type: "invoke",
    status: "completed",
    started_at: at,
    ended_at: at,
    output,
  };
}

export function failedStep(runId: string, name: string, message: string): StepResult {
  return { ...step(runId, name), status: "failed", output: undefined, error: { message, retryable: true } };
}

/** Whether the engine says that a step is done. */
export function isDone(request: PushRequest, name: string): boolean {
  return (request.steps ?? []).some((known) => known.name === name && known.status === "completed");
}
