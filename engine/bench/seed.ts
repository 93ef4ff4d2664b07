import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunStatus } from "../contract/enums.ts";
import { createIds } from "../ids.ts";
import { openDatabase, type Database } from "../store/database.ts";
import { createStore, type Store } from "../store/store.ts";

/** Functions that the runs are spread over, evenly. */
export const SEEDED_FUNCTIONS = 20;
/** Where a hundred runs ended. All are at their end or paused: an engine that starts on them has nothing to do. */
const ends: { status: RunStatus; of100: number }[] = [
  { status: "failed", of100: 6 },
  { status: "paused", of100: 2 },
  { status: "cancelled", of100: 2 },
  { status: "completed", of100: 90 },
];
/** One run in so many has its steps too: lists do not read them, and three million rows more would triple the wait. */
const stepsEvery = 10;
const runsPerCommit = 5_000;
const daysBack = 30;

export const functionName = (index: number): string => `function-${index % SEEDED_FUNCTIONS}`;

/**
 * Fills a data folder with this many runs, offline: no engine runs on it, the rows are written by the engine's own store code
 * (event, run, its end, steps of every tenth). The waiting for the disk is left out, and indexes and counters are made at
 * the end, as an import would. A folder that is complete is used again.
 */
export async function seedRuns(folder: string, runs: number, say: (line: string) => void): Promise<string> {
  const dataDir = join(folder, `${runs}-runs-schema-${schemaVersion()}`);
  const stamp = join(dataDir, "complete");
  if (existsSync(stamp)) return dataDir;
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true });
  const start = performance.now();
  const db = openDatabase(join(dataDir, "engine.db"));
  try {
    // The indexes of a million rows in memory: the rows are the same, they are only written faster.
    db.exec("pragma synchronous=off; pragma cache_size=-400000; pragma wal_autocheckpoint=20000");
    const store = createStore(db);
    const rebuild = dropIndexesAndTriggers(db);
    let nowMs = Date.now() - daysBack * 86_400_000;
    const stepMs = (daysBack * 86_400_000) / runs;
    const ids = createIds({ nowMs: () => Math.floor(nowMs) });
    const environment = store.environments.ensure("default", Math.floor(nowMs));
    for (let done = 0; done < runs;) {
      db.exec("begin");
      for (let n = 0; n < runsPerCommit && done < runs; n += 1, done += 1) {
        nowMs += stepMs;
        seedRun(store, ids, environment.id, done, Math.floor(nowMs));
      }
      db.exec("commit");
      if (done % 100_000 === 0)
        say(`seeded ${done} runs in ${Math.round((performance.now() - start) / 1000)} s`);
    }
    rebuild();
    say(`indexes and counters made after ${Math.round((performance.now() - start) / 1000)} s`);
  } finally {
    db.close();
  }
  await writeFile(stamp, "");
  return dataDir;
}

/** Keeping an index in order for a million rows costs far more than sorting them once. The answer puts all of it back. */
function dropIndexesAndTriggers(db: Database): () => void {
  const dropped = db
    .prepare<{ type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_master where type in ('index', 'trigger') and sql is not null
       and tbl_name in ('events', 'runs', 'steps')`,
    )
    .all();
  for (const { type, name } of dropped) db.exec(`drop ${type} ${name}`);
  return () => {
    for (const { sql } of dropped) db.exec(sql);
    db.exec(`insert into run_counts select environment_id, function_id, status, count(*) from runs group by 1, 2, 3;
      insert into event_names select environment_id, name, count(*) from events group by 1, 2`);
  };
}

/** Rows of another schema are made anew. */
function schemaVersion(): number {
  const db = openDatabase(":memory:");
  const row = db.prepare<{ user_version: number }>("pragma user_version").get();
  db.close();
  return row?.user_version ?? 0;
}

function endOf(index: number): RunStatus {
  // 37 shares no divisor with 100 or with the number of functions: every function gets every end.
  let place = (Math.floor(index / SEEDED_FUNCTIONS) * 37) % 100;
  for (const { status, of100 } of ends) {
    if (place < of100) return status;
    place -= of100;
  }
  return "completed";
}

function seedRun(
  store: Store,
  ids: ReturnType<typeof createIds>,
  environmentId: string,
  index: number,
  nowMs: number,
): void {
  const event = {
    id: ids.next("evt"),
    environment_id: environmentId,
    name: `order.${["placed", "paid", "packed", "sent"][index % 4] ?? ""}`,
    data: JSON.stringify({ order: `o-${index}`, customer: `c-${index % 9_973}`, amount: index % 1_000 }),
    metadata: null,
    source: "api",
    version: 1,
    idempotency_key: null,
    run_id: null,
    timestamp: nowMs,
  };
  store.events.insert(event);
  const run = store.runs.insert(
    {
      id: ids.next("run"),
      environment_id: environmentId,
      function_id: functionName(index),
      function_version: 1,
      event_id: event.id,
      event_name: event.name,
      execution_mode: "push",
      max_attempts: 3,
      input: event.data,
      parent_run_id: null,
      parent_step_id: null,
      depth: 0,
      lane_key: "",
    },
    nowMs,
    "claimed",
  );
  const status = endOf(index);
  const error =
    status === "failed" || status === "paused"
      ? JSON.stringify({ message: "no answer", retryable: true })
      : null;
  const output = status === "completed" ? JSON.stringify({ ok: true, order: `o-${index}` }) : null;
  store.runs.update(
    run,
    { status, output, error, step_count: 3, ended_at: status === "paused" ? null : nowMs + 40 },
    nowMs + 40,
  );
  if (index % stepsEvery !== 0) return;
  for (const [sequence, name] of ["reserve", "charge", "send"].entries()) {
    store.steps.put(
      {
        id: `${run.id}:${name}:0`,
        run_id: run.id,
        name,
        type: "invoke",
        sequence: sequence + 1,
        status: "completed",
        attempt: 1,
        output: JSON.stringify({ step: name, ok: true }),
        started_at: nowMs,
        ended_at: nowMs + 10,
        duration_ms: 10,
      },
      nowMs + 10,
    );
  }
}
