import { createHash } from "node:crypto";
import { toTimestamp } from "../clock.ts";
import type { Database } from "../store/database.ts";
import { columnsOf, encodeRow, FORMAT, FORMAT_VERSION } from "./format.ts";
import { TRANSFER_TABLES, whereEnvironment } from "./tables.ts";

export interface Exported {
  /** Rows by table. */
  rows: Record<string, number>;
  secrets: number;
}

/**
 * Writes one environment as JSON lines, as it is at one moment, also while an engine works with it.
 * @param write takes a line with its line feed; resolves when it may have the next one
 * @throws Error when there is no such environment, or an event of it has not reached everything yet
 */
export async function exportEnvironment(
  db: Database,
  environmentName: string,
  nowMs: number,
  write: (line: string) => Promise<void>,
): Promise<Exported> {
  db.exec("begin");
  try {
    const environment = db
      .prepare<{ id: string }>("select id from environments where name = ?")
      .get(environmentName);
    if (environment === undefined) throw new Error(`there is no environment ${environmentName}`);
    const routed = db.prepare("select 1 from routing_slices where environment_id = ? limit 1");
    if (routed.get(environment.id) !== undefined) {
      throw new Error(
        `an event of the environment ${environmentName} is still being routed: start its engine, which ends that, and export then`,
      );
    }
    const hash = createHash("sha256");
    const say = (value: unknown): Promise<void> => {
      const line = `${JSON.stringify(value)}\n`;
      hash.update(line);
      return write(line);
    };
    const schema = db.prepare<{ user_version: number }>("pragma user_version").get()?.user_version;
    await say({
      format: FORMAT,
      version: FORMAT_VERSION,
      environment: environmentName,
      schema,
      exported_at: toTimestamp(nowMs),
    });
    const rows: Record<string, number> = {};
    for (const table of TRANSFER_TABLES) {
      const columns = columnsOf(db, table);
      const order = table.counter ?? primaryKey(db, table.name);
      const select = `select * from ${table.name} where ${whereEnvironment(table)} order by ${order}`;
      rows[table.name] = 0;
      for (const row of db.prepare<Record<string, unknown>>(select).each(environment.id)) {
        rows[table.name] = (rows[table.name] ?? 0) + 1;
        await say({ table: table.name, row: encodeRow(columns, row) });
      }
    }
    const secrets = db
      .prepare<{ name: string }>("select name from secrets where environment_id = ? order by name")
      .all(environment.id);
    for (const { name } of secrets) await say({ secret: name });
    await write(`${JSON.stringify({ end: rows, sha256: hash.digest("hex") })}\n`);
    return { rows, secrets: secrets.length };
  } finally {
    db.exec("rollback");
  }
}

function primaryKey(db: Database, table: string): string {
  const keys = db
    .prepare<{ name: string }>("select name from pragma_table_info(?) where pk > 0 order by pk")
    .all(table);
  return keys.map(({ name }) => name).join(", ");
}
