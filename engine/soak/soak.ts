import { setTimeout as sleep } from "node:timers/promises";
import { poll } from "../../loopback/testing/poll.ts";
import { PushRequest } from "../contract/push.ts";
import type { EngineFactory, EngineProcess } from "../testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "../testing/function-server.ts";
import { startPullWorker, type PullWorker } from "../testing/pull-worker.ts";
import { createApplication } from "./application.ts";
import { createDataLedger } from "./data-ledger.ts";
import { createDataLoad } from "./data-load.ts";
import { createKvLedger } from "./kv-ledger.ts";
import { createKvLoad } from "./kv-load.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createLoad } from "./load.ts";
import { createMessageLedger, TOLD_FUNCTION } from "./message-ledger.ts";
import { createMessageLoad } from "./message-load.ts";
import { killDeliveries } from "./message-snapshot.ts";
import { createSettingLoad } from "./setting-load.ts";
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
  acknowledged: {
    events: number;
    steps: number;
    resumes: number;
    cancels: number;
    appends: number;
    saves: number;
    /** Keys that were made, and how often the counter was counted up. */
    keys: number;
    counted: number;
    /** Messages on a topic, and those that a group's members acknowledged. */
    publishes: number;
    acks: number;
    webhooks: number;
    /** Dead deliveries of the outbox. */
    requeues: number;
    secrets: number;
    configs: number;
  };
  modes: readonly string[];
}

/** A round ends at a random one of the calls that were acknowledged in it, and a random moment after: a loaded machine changes neither. */
const latestMomentMs = 60;
/** The engine may also be killed while it starts, at a moment up to here. */
const startMs = 800;
const roundWithinMs = 60_000;
/** What all clients do in each round. The first one lasts until each has done it, also on a machine that gives one of them no time. */
const worked = [
  "events",
  "appends",
  "saves",
  "keys",
  "counted",
  "publishes",
  "acks",
  "webhooks",
  "secrets",
  "configs",
] as const;
const fewestEventsPerRound = 20;
const mostEventsPerRound = 120;
/** One round in so many kills the engine while it starts. */
const killAtStartShare = 0.15;
/** One round in so many finds some of what the outbox owed dead. */
const killDeliveriesShare = 0.3;
/** One round in so many kills a worker too. */
const killWorkerShare = 0.3;
/** A dead worker's job is taken over after this long, so that the rounds see it happen. */
const flags = ["--dev", "--lease-ms=2000"];
/** How long the runs that are left after the last round may take, ms. A lease of a worker may have to run out. */
const settleWithinMs = 180_000;

/**
 * Kills the engine at random moments under mixed load, compares what is on disk with what it had acknowledged, and starts it
 * again; at last every run has to come to its right end.
 */
export async function soak({ factory, rounds, seed, say }: SoakOptions): Promise<SoakResult> {
  const random = createRandom(seed);
  const dataDir = await factory.newDataDir();
  const first = await factory.start({ dataDir, flags });
  const modes = await offeredModes(first);
  const application = createApplication(modes);
  const ledger = createLedger(application);
  const load = createLoad(modes, application, ledger, random);
  const dataLedger = createDataLedger();
  const dataLoad = createDataLoad(dataLedger, random);
  const kvLedger = createKvLedger();
  const kvLoad = createKvLoad(kvLedger);
  const messageLedger = createMessageLedger();
  const messageLoad = createMessageLoad(messageLedger);
  const settingLoad = createSettingLoad();
  const functions = await createFunctionServer({
    ...application.handlers,
    [TOLD_FUNCTION]: async ({ event }) => event.id,
  });
  const counts = () => ({
    ...ledger.counts(),
    ...dataLedger.counts(),
    ...kvLedger.counts(),
    ...messageLedger.counts(),
    ...settingLoad.counts(),
  });
  const compare = async () => {
    const snapshot = await takeSnapshot(dataDir);
    return [
      ...ledger.compare(snapshot),
      ...dataLedger.compare(snapshot.data),
      ...kvLedger.compare(snapshot.kv),
      ...messageLedger.compare(snapshot.messages),
      ...settingLoad.compare(snapshot.settings),
    ];
  };
  let current: EngineProcess | undefined = first;
  const workers = startWorkers({
    count: modes.includes("pull") ? 2 : 0,
    url: () => current?.url,
    handlers: application.handlers,
    onAcknowledged: ledger.completed,
  });
  const faults: string[] = [];
  try {
    await register(first, modes, application.handlers, functions);
    await dataLoad.register(first);
    await kvLoad.register(first);
    await messageLoad.register(first, functions.endpoint(TOLD_FUNCTION));
    await settingLoad.register(first);
    for (let round = 1; round <= rounds && faults.length === 0; round += 1) {
      const engine = current ?? (await factory.start({ dataDir, flags }));
      current = engine;
      const events = random.int(fewestEventsPerRound, mostEventsPerRound);
      const goal = acknowledged(ledger) + random.int(0, events);
      const momentMs = random.int(0, latestMomentMs);
      const stop = new AbortController();
      const clients = [
        load.emit(engine, events),
        load.tend(engine, stop.signal),
        dataLoad.run(engine, stop.signal),
        kvLoad.run(engine, stop.signal),
        messageLoad.run(engine, stop.signal),
        settingLoad.run(engine, stop.signal),
      ];
      if (random.chance(killWorkerShare)) await workers.replaceOne();
      const isEnough = () =>
        acknowledged(ledger) >= goal && (round > 1 || worked.every((kind) => counts()[kind] > 0));
      await poll("enough acknowledged calls", isEnough, roundWithinMs);
      await sleep(momentMs);
      await engine.end("SIGKILL");
      stop.abort();
      current = undefined;
      await Promise.all(clients);
      messageLedger.killed();
      witness(functions, ledger.completed);
      faults.push(...(await compare()));
      if (random.chance(killAtStartShare)) {
        await factory.startAndKill(dataDir, random.int(30, startMs), flags);
        faults.push(...(await compare()));
      }
      if (random.chance(killDeliveriesShare)) killDeliveries(dataDir, random);
      say(
        `round ${round}: killed ${momentMs} ms after acknowledged call ${goal}; acknowledged so far ${JSON.stringify(counts())}`,
      );
    }
    if (faults.length === 0) {
      const engine = (current = await factory.start({ dataDir, flags }));
      let left = 0;
      await poll(
        "every run to end",
        async () => (left = await load.tendOnce(engine)) === 0,
        settleWithinMs,
      ).catch(() => faults.push(`${left} runs did not come to their end within ${settleWithinMs} ms`));
      witness(functions, ledger.completed);
      await poll(
        "every projection to be up to date",
        async () => !(await dataLoad.drainOnce(engine)),
        settleWithinMs,
      ).catch(() => faults.push(`projections were not up to date within ${settleWithinMs} ms`));
      await poll(
        "every message to be acknowledged",
        async () => !(await messageLoad.drainOnce(engine)),
        settleWithinMs,
      ).catch(() => faults.push(`messages were not acknowledged within ${settleWithinMs} ms`));
      await poll(
        "the runs of what was requeued to end",
        async () => (left = await load.tendOnce(engine)) === 0,
        settleWithinMs,
      ).catch(() => faults.push(`${left} runs did not come to their end within ${settleWithinMs} ms`));
      faults.push(...(await dataLoad.compareRebuilt(engine)));
      await engine.end("SIGKILL");
      current = undefined;
      const snapshot = await takeSnapshot(dataDir);
      faults.push(
        ...ledger.compareEnd(snapshot),
        ...dataLedger.compareEnd(snapshot.data),
        ...kvLedger.compare(snapshot.kv),
        ...messageLedger.compareEnd(snapshot.messages),
        ...settingLoad.compare(snapshot.settings),
      );
    }
    return {
      faults,
      acknowledged: counts(),
      modes,
    };
  } finally {
    await workers.stop();
    await functions.close();
    await current?.end("SIGKILL");
  }
}

function acknowledged(ledger: Ledger): number {
  const { events, resumes, cancels } = ledger.counts();
  return events + resumes + cancels;
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

interface Workers {
  /** Kills the oldest and starts another. */
  replaceOne(): Promise<void>;
  stop(): Promise<void>;
}

function startWorkers({
  count,
  ...options
}: Pick<Parameters<typeof startPullWorker>[0], "url" | "handlers" | "onAcknowledged"> & {
  count: number;
}): Workers {
  const handlers = Object.fromEntries(
    Object.entries(options.handlers).filter(([id]) => id.startsWith("pull-")),
  );
  let started = 0;
  const start = () => startPullWorker({ ...options, handlers, id: `worker-${(started += 1)}`, idleMs: 10 });
  const workers: PullWorker[] = Array.from({ length: count }, start);
  return {
    replaceOne: async () => {
      const oldest = workers.shift();
      if (oldest === undefined) return;
      workers.push(start());
      await oldest.crash();
    },
    stop: async () => {
      for (const worker of workers) await worker.stop();
    },
  };
}
