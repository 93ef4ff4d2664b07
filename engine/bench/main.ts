import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/v4";
import { createEngineFactory } from "../testing/engine-process.ts";
import { measureData } from "./data.ts";
import { measureLists } from "./lists.ts";
import { seedRuns } from "./seed.ts";
import { measureSqlShare, sqlShareFigures } from "./sql-share.ts";
import { median, percentile, rounded } from "./stats.ts";
import { measureThroughput } from "./throughput.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);

const full = {
  runs: 6_000,
  atOnce: 64,
  latencies: 1_000,
  appends: 10_000,
  inserts: 5_000,
  roundTrips: 10_000,
  seeded: 1_000_000,
  samples: 100,
  page: 1_000,
};
const quick = {
  ...full,
  runs: 600,
  latencies: 100,
  inserts: 500,
  roundTrips: 1_000,
  seeded: 20_000,
  samples: 20,
  page: 100,
};

/** From run.mjs, which has read the arguments. */
const Order = z.object({ engine: z.string(), quick: z.boolean(), only: z.literal("sql").optional() });

async function main(): Promise<void> {
  const order = Order.parse(JSON.parse(process.argv[2] ?? ""));
  const sizes = order.quick ? quick : full;
  const factory = await createEngineFactory(order.engine);
  try {
    const sqlShare = async () =>
      sqlShareFigures(await measureSqlShare(factory, { ...sizes, runs: sizes.runs / 2, rounds: 3 }));
    if (order.only === "sql") {
      say(JSON.stringify({ bench: "engine", figures: await sqlShare() }));
      return;
    }
    const throughput = await measureThroughput(factory, { ...sizes, say });
    const data = await measureData(factory, { ...sizes, say });
    const dataDir = await seedRuns(join(process.cwd(), ".cache", "engine-bench"), sizes.seeded, say);
    const lists = await measureLists(factory, dataDir, { ...sizes, say });
    const worst = (samples: Record<string, number[]>) => Math.max(...Object.values(samples).map(median));
    const figures = {
      runs_per_second: rounded(throughput.runsPerSecond),
      emit_to_first_step_p50_ms: rounded(median(throughput.emitToFirstStepMs)),
      emit_to_first_step_p99_ms: rounded(percentile(throughput.emitToFirstStepMs, 0.99)),
      // The slowest filter and the slower of the two ways to a deep page count.
      list_first_page_ms: rounded(worst(lists.firstPageMs)),
      list_page_1000_ms: rounded(worst(lists.deepPageMs)),
      rss_rest_mb: rounded(lists.rssRestMb),
      rss_load_mb: rounded(throughput.rssLoadMb),
      appends_per_second: rounded(data.appendsPerSecond),
      projection_events_per_second: rounded(data.projectionEventsPerSecond),
      sql_projection_events_per_second: rounded(data.sqlProjectionEventsPerSecond),
      kv_puts_per_second: rounded(data.kvPutsPerSecond),
      ...(await sqlShare()),
    };
    const reference = {
      bare_inserts_per_second: rounded(throughput.bareInsertsPerSecond),
      bare_round_trips_per_second: rounded(throughput.bareRoundTripsPerSecond),
    };
    const result = { bench: "engine", figures, reference };
    const folder = join(process.cwd(), "test-results", "bench");
    await mkdir(folder, { recursive: true });
    const file = join(folder, `engine-${new Date().toISOString().replaceAll(":", "-")}.json`);
    await writeFile(file, JSON.stringify({ ...result, sizes, raw: { throughput, data, lists } }));
    say(`raw samples: ${file}`);
    say(JSON.stringify(result));
  } finally {
    await factory.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(
    `bench:engine: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
});
