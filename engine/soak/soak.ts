import { setTimeout as sleep } from "node:timers/promises";
import { poll } from "../../loopback/testing/poll.ts";
import { PushRequest } from "../contract/push.ts";
import type { EngineFactory, EngineProcess } from "../testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "../testing/function-server.ts";
import { startPullWorker, type PullWorker } from "../testing/pull-worker.ts";
import { createApplication } from "./application.ts";
import { createLedger } from "./ledger.ts";
import { createLoad } from "./load.ts";
import { createRandom } from "./random.ts";
import { takeSnapshot } from "./snapshot.ts";

export interface SoakOptions {
  factory: EngineFactory;
  rounds: number;
  seed: number;
  /** Hears one line for each round. */
  say: (line: string) => void;
}

export interface SoakResult {
  /** What was wrong, one line each. */
  faults: string[];
  acknowledged: { events: number; steps: number; resumes: number; cancels: number };
  modes: readonly string[];
}

const longestRoundMs = 800;
const fewestEventsPerRound = 20;
const mostEventsPerRound = 120;
/** One round in so many kills the engine while it starts. */
const killAtStartShare = 0.15;
/** How long the runs that are left after the last round may take, ms. A lease of a worker may have to run out. */
const settleWithinMs = 180_000;

/**
 * Kills the engine at random moments under mixed load, compares what is on disk with what it had acknowledged, and starts it
 * again; at last every run has to come to its right end.
 */
export async function soak({ factory, rounds, seed, say }: SoakOptions): Promise<SoakResult> {
  const random = createRandom(seed);
  const dataDir = await factory.newDataDir();
  const first = await factory.start({ dataDir });
  const modes = await offeredModes(first);
  const application = createApplication(modes);
  const ledger = createLedger(application);
  const load = createLoad(modes, application, ledger, random);
  const functions = await createFunctionServer(application.handlers);
  let current: EngineProcess | undefined = first;
  const workers = modes.includes("pull")
    ? startWorkers(() => current?.url, application.handlers, ledger.completed)
    : [];
  const faults: string[] = [];
  try {
    await register(first, modes, application.handlers, functions);
    for (let round = 1; round <= rounds && faults.length === 0; round += 1) {
      const engine = current ?? (await factory.start({ dataDir }));
      current = engine;
      const afterMs = random.int(1, longestRoundMs);
      const stop = new AbortController();
      const clients = [
        load.emit(engine, random.int(fewestEventsPerRound, mostEventsPerRound)),
        load.tend(engine, stop.signal),
      ];
      await sleep(afterMs);
      await engine.end("SIGKILL");
      stop.abort();
      current = undefined;
      await Promise.all(clients);
      witness(functions, ledger.completed);
      faults.push(...ledger.compare(await takeSnapshot(dataDir)));
      if (random.chance(killAtStartShare)) {
        await factory.startAndKill(dataDir, random.int(30, longestRoundMs));
        faults.push(...ledger.compare(await takeSnapshot(dataDir)));
      }
      say(
        `round ${round}: killed after ${afterMs} ms; acknowledged so far ${JSON.stringify(ledger.counts())}`,
      );
    }
    if (faults.length === 0) {
      const engine = (current = await factory.start({ dataDir }));
      let left = 0;
      await poll(
        "every run to end",
        async () => (left = await load.tendOnce(engine)) === 0,
        settleWithinMs,
      ).catch(() => faults.push(`${left} runs did not come to their end within ${settleWithinMs} ms`));
      witness(functions, ledger.completed);
      await engine.end("SIGKILL");
      current = undefined;
      faults.push(...ledger.compareEnd(await takeSnapshot(dataDir)));
    }
    return { faults, acknowledged: ledger.counts(), modes };
  } finally {
    for (const worker of workers) await worker.stop();
    await functions.close();
    await current?.end("SIGKILL");
  }
}

/** A step that the engine itself calls completed in a call has been acknowledged by it. */
function witness(functions: FunctionServer, completed: (stepIds: string[]) => void): void {
  for (const { body } of functions.received.splice(0)) {
    const { steps } = PushRequest.parse(JSON.parse(body));
    completed((steps ?? []).filter(({ status }) => status === "completed").map(({ id }) => id));
  }
}

async function offeredModes(engine: EngineProcess): Promise<readonly string[]> {
  const { status } = await engine.connect("RegisterFunction", {
    id: "probe",
    preferredMode: "EXECUTION_MODE_PULL",
  });
  return status === 200 ? ["push", "pull"] : ["push"];
}

async function register(
  engine: EngineProcess,
  modes: readonly string[],
  handlers: Record<string, unknown>,
  functions: FunctionServer,
): Promise<void> {
  for (const mode of modes)
    for (const id of Object.keys(handlers).filter((name) => name.startsWith(`${mode}-`)))
      await engine.ask("RegisterFunction", {
        id,
        triggers: [{ event: id }],
        preferredMode: `EXECUTION_MODE_${mode.toUpperCase()}`,
        ...(mode === "push" ? { endpointUrl: functions.endpoint(id) } : {}),
        retry: { maxAttempts: 3, initialDelayMs: 10, backoffFactor: 1 },
      });
}

function startWorkers(
  url: () => string | undefined,
  handlers: Parameters<typeof startPullWorker>[0]["handlers"],
  onAcknowledged: (stepIds: string[]) => void,
): PullWorker[] {
  const pulled = Object.fromEntries(Object.entries(handlers).filter(([id]) => id.startsWith("pull-")));
  return ["worker-1", "worker-2"].map((id) =>
    startPullWorker({ url, id, handlers: pulled, idleMs: 10, onAcknowledged }),
  );
}
