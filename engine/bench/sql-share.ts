import { createClient } from "./client.ts";
import { median, percentile, processorMs, ratePerSecond, rounded } from "./stats.ts";
import { poll } from "../../loopback/testing/poll.ts";
import type { EngineFactory } from "../testing/engine-process.ts";
import { createFunctionServer } from "../testing/function-server.ts";

export interface SqlShare {
  runsPerSecondAlone: number;
  /** With two queries that never end, again and again. */
  runsPerSecondBesideSql: number;
  /** Processor time of the engine for a run, which a loaded machine does not change, ms. */
  engineMsAlone: number;
  engineMsBesideSql: number;
  emitMsAlone: number[];
  emitMsBesideSql: number[];
}

const endless =
  "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r, events";

/** What heavy queries take from runs: the same load in turns with two endless queries and without, `rounds` times. */
export async function measureSqlShare(
  factory: EngineFactory,
  sizes: { runs: number; atOnce: number; rounds: number },
): Promise<SqlShare> {
  const functions = await createFunctionServer({ one: ({ steps }) => steps.run("first", () => 1) });
  const engine = await factory.start({ flags: [] });
  const client = createClient(engine.url, engine.key);
  try {
    await client.rpc("RegisterFunction", {
      id: "one",
      triggers: [{ event: "go" }],
      endpointUrl: functions.endpoint("one"),
      concurrency: { limit: sizes.atOnce },
    });
    const completed = async () =>
      Number((await client.rpc("ListRuns", { statuses: ["completed"], limit: 1 }))["totalCount"] ?? 0);

    async function load(): Promise<{ rate: number; engineMs: number; emitMs: number[] }> {
      functions.received.length = 0;
      const before = await completed();
      const used = processorMs(engine.pid);
      const start = performance.now();
      const emitMs: number[] = [];
      await ratePerSecond(sizes.runs, sizes.atOnce, async () => {
        const from = performance.now();
        await client.rpc("Emit", { event: "go", data: {} });
        emitMs.push(performance.now() - from);
      });
      await poll("the runs", async () => (await completed()) >= before + sizes.runs, 300_000);
      return {
        rate: sizes.runs / ((performance.now() - start) / 1000),
        engineMs: (processorMs(engine.pid) - used) / sizes.runs,
        emitMs,
      };
    }

    async function besideSql(): Promise<Awaited<ReturnType<typeof load>>> {
      const stop = new AbortController();
      const query = JSON.stringify({ query: endless, timeout_ms: 2_000 });
      const ask = async () => {
        while (!stop.signal.aborted)
          await client.post("/api/v1/sql", query).catch(() => {
            // It ends with its time limit, as it should.
          });
      };
      const asking = [ask(), ask()];
      try {
        return await load();
      } finally {
        stop.abort();
        await Promise.all(asking);
      }
    }

    await load();
    const alone = [];
    const beside = [];
    for (let round = 0; round < sizes.rounds; round += 1) {
      alone.push(await load());
      beside.push(await besideSql());
    }
    return {
      runsPerSecondAlone: median(alone.map(({ rate }) => rate)),
      runsPerSecondBesideSql: median(beside.map(({ rate }) => rate)),
      engineMsAlone: median(alone.map(({ engineMs }) => engineMs)),
      engineMsBesideSql: median(beside.map(({ engineMs }) => engineMs)),
      emitMsAlone: alone.flatMap(({ emitMs }) => emitMs),
      emitMsBesideSql: beside.flatMap(({ emitMs }) => emitMs),
    };
  } finally {
    client.close();
    await engine.end("SIGTERM");
    await functions.close();
  }
}

/** The figures, as `bench:engine` prints them. */
export function sqlShareFigures(share: SqlShare): Record<string, number> {
  return {
    sql_runs_per_second_alone: rounded(share.runsPerSecondAlone),
    sql_runs_per_second_beside: rounded(share.runsPerSecondBesideSql),
    sql_engine_ms_per_run_alone: rounded(share.engineMsAlone),
    sql_engine_ms_per_run_beside: rounded(share.engineMsBesideSql),
    sql_emit_p50_ms_alone: rounded(median(share.emitMsAlone)),
    sql_emit_p50_ms_beside: rounded(median(share.emitMsBesideSql)),
    sql_emit_p99_ms_alone: rounded(percentile(share.emitMsAlone, 0.99)),
    sql_emit_p99_ms_beside: rounded(percentile(share.emitMsBesideSql, 0.99)),
  };
}
