import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectRun, ListRunsResponse } from "../contract/runs.ts";
import type { EngineProcess } from "../testing/engine-process.ts";
import { KINDS, type Application } from "./application.ts";
import type { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";

/** Clients of the engine, as many programs at once would be; each gives up when the engine is gone. */
export interface Load {
  /** Emits events of every kind until the engine is gone or `events` were sent. */
  emit(engine: EngineProcess, events: number): Promise<void>;
  /** Pays, resumes and cancels what waits for it, until the engine is gone or `signal` says so. */
  tend(engine: EngineProcess, signal: AbortSignal): Promise<void>;
  /** Pays, resumes and cancels once; how many runs are not at their end yet. */
  tendOnce(engine: EngineProcess): Promise<number>;
}

interface Emit {
  event: string;
  data: { n: number };
}

/** How many clients emit at the same time. */
const emitters = 6;
/** Within its window a second resume has to be refused; a bit less than the engine's 5 s. */
const resumeWindowMs = 3_000;

export function createLoad(
  modes: readonly string[],
  application: Application,
  ledger: Ledger,
  random: Random,
): Load {
  let numbers = 0;
  /** Keyed emits whose answer was lost: they are sent again until they are answered. */
  const lost = new Map<string, Emit>();
  const resumedAt = new Map<string, number>();

  async function send(engine: EngineProcess, message: Emit, key: string | undefined): Promise<void> {
    const keyed = key === undefined ? message : { ...message, idempotencyKey: key };
    const answer = await engine.ask("Emit", keyed).catch((error: unknown) => {
      if (key !== undefined) lost.set(key, message);
      throw error;
    });
    ledger.emitted(String(answer["eventId"]), (answer["runIds"] ?? []) as string[], key);
  }

  async function emitNew(engine: EngineProcess): Promise<void> {
    const n = (numbers += 1);
    const message = { event: `${random.pick(modes)}-${random.pick(KINDS)}`, data: { n } };
    await send(engine, message, random.chance(0.5) ? `key-${n}` : undefined);
  }

  async function sendLost(engine: EngineProcess): Promise<void> {
    for (const [key, message] of lost) {
      lost.delete(key);
      await send(engine, message, key);
    }
  }

  async function runsIn(engine: EngineProcess, kind: string, statuses: string[]): Promise<ConnectRun[]> {
    const pages = await Promise.all(
      modes.map((mode) => engine.ask("ListRuns", { functionId: `${mode}-${kind}`, statuses, limit: 100 })),
    );
    return pages.flatMap((page) => ListRunsResponse.parse(page).runs);
  }

  async function resume(engine: EngineProcess, runId: string): Promise<void> {
    application.mend(runId);
    const answer = await engine.connect("ResumeRun", { runId });
    if (answer.status === 200) {
      ledger.resumed(runId);
      resumedAt.set(runId, Date.now());
      const second = await engine.connect("ResumeRun", { runId });
      if (second.status === 200) ledger.resumed(runId);
    } else if (answer.body["code"] !== "already_exists" && answer.body["code"] !== "failed_precondition") {
      throw new Error(`ResumeRun: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }

  /** The window has to survive a restart. */
  async function resumeAgain(engine: EngineProcess): Promise<void> {
    for (const [runId, at] of resumedAt) {
      resumedAt.delete(runId);
      if (Date.now() - at > resumeWindowMs) continue;
      const answer = await engine.connect("ResumeRun", { runId });
      if (answer.status === 200 && Date.now() - at < resumeWindowMs) ledger.resumed(runId);
    }
  }

  async function pay(engine: EngineProcess): Promise<void> {
    for (const run of await runsIn(engine, "paid", ["waiting"]))
      await engine.ask("Emit", { event: "payment", data: run.input as object });
  }

  async function resumeAll(engine: EngineProcess): Promise<void> {
    await resumeAgain(engine);
    for (const run of await runsIn(engine, "fragile", ["failed", "paused"])) await resume(engine, run.id);
  }

  async function cancelAll(engine: EngineProcess): Promise<void> {
    for (const run of await runsIn(engine, "hold", ["waiting"])) {
      const { status } = await engine.connect("CancelRun", { id: run.id, reason: "soak" });
      if (status === 200) ledger.cancelled(run.id);
    }
  }

  async function tendOnce(engine: EngineProcess): Promise<number> {
    await Promise.all([sendLost, pay, resumeAll, cancelAll].map((tend) => tend(engine)));
    const left = ["running", "waiting", "waiting_for_capacity", "failed", "paused"];
    const counts = await Promise.all(KINDS.map(async (kind) => (await runsIn(engine, kind, left)).length));
    return counts.reduce((sum, count) => sum + count, 0) + lost.size;
  }

  return {
    emit: async (engine, events) => {
      let sent = 0;
      const client = async () => {
        while (sent < events) {
          sent += 1;
          await emitNew(engine);
        }
      };
      await untilGone(Promise.all(Array.from({ length: emitters }, client)));
    },
    tend: (engine, signal) =>
      untilGone(
        (async () => {
          while (!signal.aborted) {
            await tendOnce(engine);
            await sleep(5);
          }
        })(),
      ),
    tendOnce,
  };
}

/** A call that breaks off because the engine was killed is what this test is about; any other error is not. */
async function untilGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
  });
}
