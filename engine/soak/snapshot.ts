import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { emptyKv, readKv, type KvSnapshot } from "./kv-ledger.ts";
import { emptyMessages, readMessages, type MessageSnapshot } from "./message-snapshot.ts";
import { emptySettings, readSettings, type SettingSnapshot } from "./setting-load.ts";
import { emptyData, readData, type DataSnapshot } from "./data-snapshot.ts";

/** What a dead engine had on disk. */
export interface Snapshot {
  /** `ok`, or what SQLite found. */
  integrity: string;
  foreignKeyFaults: number;
  events: { id: string; name: string; idempotency_key: string | null }[];
  runs: { id: string; function_id: string; event_id: string; status: string; parent_run_id: string | null }[];
  /** Completed steps. */
  completed: { id: string; run_id: string; output: string | null }[];
  data: DataSnapshot;
  kv: KvSnapshot;
  messages: MessageSnapshot;
  settings: SettingSnapshot;
}

/** Reads a copy: opening the file itself would do the recovery that the engine's next start is tested with. */
export async function takeSnapshot(dataDir: string): Promise<Snapshot> {
  const folder = await mkdtemp(join(tmpdir(), "soak-snapshot-"));
  try {
    for (const name of ["engine.db", "engine.db-wal"])
      await copyFile(join(dataDir, name), join(folder, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error; // there is no log after an orderly stop, and nothing before the first start
      });
    return read(join(folder, "engine.db"), dataDir);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function read(file: string, dataDir: string): Snapshot {
  const db = new DatabaseSync(file);
  try {
    const rows = <Row>(sql: string) => db.prepare(sql).all() as Row[];
    const hasTables = rows("select 1 from sqlite_master where name = 'steps'").length > 0;
    const integrity = rows<Record<string, string>>("pragma integrity_check")
      .flatMap((row) => Object.values(row))
      .join("; ");
    if (!hasTables)
      return {
        integrity,
        foreignKeyFaults: 0,
        events: [],
        runs: [],
        completed: [],
        data: emptyData,
        kv: emptyKv,
        messages: emptyMessages,
        settings: emptySettings,
      };
    return {
      integrity,
      foreignKeyFaults: rows("pragma foreign_key_check").length,
      events: rows("select id, name, idempotency_key from events"),
      runs: rows("select id, function_id, event_id, status, parent_run_id from runs"),
      completed: rows("select id, run_id, output from steps where status = 'completed'"),
      data: readData(db),
      kv: readKv(db),
      messages: readMessages(db),
      settings: readSettings(db, dataDir),
    };
  } finally {
    db.close();
  }
}
