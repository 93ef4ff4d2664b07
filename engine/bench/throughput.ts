import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../loopback/testing/poll.ts";
import { systemClock } from "../clock.ts";
import { createIds } from "../ids.ts";
import { openDatabase } from "../store/database.ts";
import { createEventTable } from "../store/events.ts";
import type { EngineFactory } from "../testing/engine-process.ts";
import { createFunctionServer } from "../testing/function-server.ts";
import { createClient } from "./client.ts";
import { median, processorMs, ratePerSecond, residentMb, timeEach } from "./stats.ts";

export interface Throughput {
  runsPerSecond: number;
  /** From before the emit's request is written to the first line of the first step, ms, oldest first. */
  emitToFirstStepMs: number[];
  /** The most that the engine's process held while it was loaded. */
  rssLoadMb: number;
  /** Processor time of the engine for each run, ms: what a loaded machine does not change. */
  engineMsPerRun: number;
  bareInsertsPerSecond: number;
  bareRoundTripsPerSecond: number;
}

export interface ThroughputSizes {
  runs: number;
  /** Emits that are under way at the same time. */
  atOnce: number;
  latencies: number;
  inserts: number;
  roundTrips: number;
  say: (line: string) => void;
}

const rssEveryMs = 100;
const runsWithinMs = 600_000;

/** Runs of three steps through a real engine process with its key, and what the same machine does without an engine. */
export async function measureThroughput(factory: EngineFactory, sizes: ThroughputSizes): Promise<Throughput> {
  const firstSteps = new Map<number, number>();
  const functions = await createFunctionServer({
    three: async ({ event, steps }) => {
      const { n } = event.data as { n: number };
      await steps.run("first", () => firstSteps.set(n, performance.now()).size);
      await steps.run("second", () => ({ n, ok: true }));
      return steps.run("third", () => ({ n, total: n * 2 }));
    },
  });
  const engine = await factory.start({ flags: [] });
  const client = createClient(engine.url, engine.key);
  try {
    await client.rpc("RegisterFunction", {
      id: "three",
      triggers: [{ event: "go" }],
      endpointUrl: functions.endpoint("three"),
      concurrency: { limit: sizes.atOnce },
    });
    let n = 0;
    const emit = () =>
      client.rpc("Emit", { event: "go", data: { n: (n += 1), order: "o-1", lines: [1, 2, 3] } });
    const completed = async () =>
      Number((await client.rpc("ListRuns", { statuses: ["completed"], limit: 1 }))["totalCount"] ?? 0);
    const reach = (count: number) =>
      poll(`${count} completed runs`, async () => (await completed()) >= count, runsWithinMs);

    await ratePerSecond(Math.min(200, sizes.runs), sizes.atOnce, emit);
    await reach(Math.min(200, sizes.runs));
    functions.received.length = 0;

    let rssLoadMb = residentMb(engine.pid);
    const watch = setInterval(() => (rssLoadMb = Math.max(rssLoadMb, residentMb(engine.pid))), rssEveryMs);
    const before = await completed();
    const used = processorMs(engine.pid);
    const start = performance.now();
    await ratePerSecond(sizes.runs, sizes.atOnce, emit);
    await reach(before + sizes.runs);
    const runsPerSecond = sizes.runs / ((performance.now() - start) / 1000);
    clearInterval(watch);
    const engineMsPerRun = (processorMs(engine.pid) - used) / sizes.runs;
    sizes.say(
      `${sizes.runs} runs of three steps: ${runsPerSecond.toFixed(0)} per second, ${engineMsPerRun.toFixed(2)} ms of the engine's processor time each`,
    );

    const body = functions.received.at(-1)?.body ?? "";
    functions.received.length = 0;
    const emitToFirstStepMs: number[] = [];
    await timeEach(sizes.latencies, async () => {
      const sentAt = performance.now();
      const number = n + 1;
      await emit();
      const at = await poll("its first step", () => firstSteps.get(number));
      emitToFirstStepMs.push(at - sentAt);
    });
    sizes.say(`emit to first step, one at a time: median ${median(emitToFirstStepMs).toFixed(1)} ms`);

    const bare = createClient(functions.endpoint(""), "");
    const bareRoundTripsPerSecond = await ratePerSecond(sizes.roundTrips, sizes.atOnce, () =>
      bare.post("/three", body),
    );
    bare.close();
    return {
      runsPerSecond,
      engineMsPerRun,
      emitToFirstStepMs,
      rssLoadMb,
      bareRoundTripsPerSecond,
      bareInsertsPerSecond: await bareInserts(sizes.inserts),
    };
  } finally {
    client.close();
    await engine.end("SIGTERM");
    await functions.close();
  }
}

/** Events into the engine's own table with the engine's own pragmas, each in a transaction of its own: one fsync each. */
async function bareInserts(count: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "engine-bench-"));
  const db = openDatabase(join(folder, "engine.db"));
  try {
    const events = createEventTable(db);
    const ids = createIds(systemClock);
    const data = JSON.stringify({ n: 1, order: "o-1", lines: [1, 2, 3] });
    const start = performance.now();
    for (let n = 0; n < count; n += 1) {
      events.insert({
        id: ids.next("evt"),
        environment_id: "env_default",
        name: "go",
        data,
        metadata: null,
        source: "api",
        version: 1,
        idempotency_key: null,
        run_id: null,
        timestamp: systemClock.nowMs(),
      });
    }
    return count / ((performance.now() - start) / 1000);
  } finally {
    db.close();
    await rm(folder, { recursive: true, force: true });
  }
}
