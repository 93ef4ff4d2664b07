import { SQL_LIMITS } from "../contract/sql.ts";
import type { SqlRows } from "../sql/pool.ts";
import type { Call } from "./call.ts";

/** Runs a caller's query in its own environment; 0 and nothing mean the usual limits. */
export async function runSql(
  { core, environment, gone }: Call,
  sql: string,
  wanted: { timeoutMs?: number | undefined; maxRows?: number | undefined },
): Promise<SqlRows & { durationMs: number }> {
  const from = performance.now();
  const answer = await core.sql.query(
    {
      environmentId: environment.id,
      sql,
      timeoutMs: wanted.timeoutMs || SQL_LIMITS.defaultTimeoutMs,
      maxRows: wanted.maxRows || SQL_LIMITS.defaultRows,
    },
    gone,
  );
  return { ...answer, durationMs: Math.round(performance.now() - from) };
}
