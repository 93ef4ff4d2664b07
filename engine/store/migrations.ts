import type { DatabaseSync } from "@photostructure/sqlite";
import { EXECUTION } from "./migrations/01-execution.ts";
import { OPERATIONS } from "./migrations/02-operations.ts";
import { KV } from "./migrations/03-kv.ts";
import { STREAMS } from "./migrations/04-streams.ts";
import { SECRETS } from "./migrations/05-secrets.ts";
import { PROJECTIONS } from "./migrations/06-projections.ts";
import { OUTBOX } from "./migrations/07-outbox.ts";
import { FLOW } from "./migrations/08-flow.ts";
import { AGENT_TOOLS } from "./migrations/09-agent-tools.ts";
import { WEBHOOKS } from "./migrations/10-webhooks.ts";
import { CONSUMER_GROUPS } from "./migrations/11-consumer-groups.ts";
import { ROUTING_SLICES } from "./migrations/12-routing-slices.ts";
import { WEBHOOK_DESCRIPTORS } from "./migrations/13-webhook-descriptors.ts";
import { AUDIT_KEYS } from "./migrations/14-audit-keys.ts";
import { PAST_STATES } from "./migrations/15-past-states.ts";

type Raw = InstanceType<typeof DatabaseSync>;

/**
 * Each entry lifts the schema by one version. Entries are only ever added: a database in the field has run the old ones.
 * Times are milliseconds since 1970; payload columns hold JSON text exactly as it came.
 */
const MIGRATIONS: readonly string[] = [
  EXECUTION,
  OPERATIONS,
  KV,
  STREAMS,
  SECRETS,
  PROJECTIONS,
  OUTBOX,
  FLOW,
  AGENT_TOOLS,
  WEBHOOKS,
  CONSUMER_GROUPS,
  ROUTING_SLICES,
  WEBHOOK_DESCRIPTORS,
  AUDIT_KEYS,
  PAST_STATES,
];

/** Runs the missing migrations, each in its own transaction. @throws when the file was written by a newer engine */
export function migrate(db: Raw, migrations: readonly string[] = MIGRATIONS): void {
  const row = db.prepare("pragma user_version").get() as { user_version: number };
  if (row.user_version > migrations.length) {
    throw new Error(
      `the database has schema version ${row.user_version}, this engine knows up to ${migrations.length}: use a newer engine`,
    );
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < row.user_version) continue;
    db.exec("begin immediate");
    try {
      db.exec(sql);
      db.exec(`pragma user_version = ${index + 1}`);
      db.exec("commit");
    } catch (error) {
      db.exec("rollback");
      throw error;
    }
  }
}
