import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { DATA_EVENT } from "./data-ledger.ts";
import { HOOK_EVENT, SOAK_GROUP, SOAK_TOPIC, TOLD_FUNCTION } from "./message-ledger.ts";
import type { Random } from "./random.ts";

/** What a dead engine had on disk of topics, webhooks and its outbox. */
export interface MessageSnapshot {
  messages: { id: string; n: number }[];
  /** Messages that the group has not acknowledged. */
  owed: string[];
  group: { waiting: number } | undefined;
  /** Events that came as webhooks. */
  hooks: { id: string; n: number }[];
  /** Ids of the appended events. */
  appended: string[];
  /** Events that the function that is told of appended events has a run of. */
  told: string[];
  outbox: { event_id: string; kind: string; dead_at: number | null }[];
}

export const emptyMessages: MessageSnapshot = {
  messages: [],
  owed: [],
  group: undefined,
  hooks: [],
  appended: [],
  told: [],
  outbox: [],
};

export function readMessages(db: InstanceType<typeof DatabaseSync>): MessageSnapshot {
  const rows = <Row>(sql: string) => db.prepare(sql).all() as Row[];
  if (rows("select 1 from sqlite_schema where name = 'group_deliveries'").length === 0) return emptyMessages;
  const idsOf = (sql: string) => rows<{ id: string }>(sql).map(({ id }) => id);
  return {
    messages: rows(
      `select id, data ->> 'n' as n from topic_messages where topic = '${SOAK_TOPIC}' order by seq`,
    ),
    owed: idsOf("select message_id as id from group_deliveries"),
    group: rows<{ waiting: number }>(`select waiting from consumer_groups where name = '${SOAK_GROUP}'`)[0],
    hooks: rows(
      `select id, cast(data ->> 'n' as integer) as n from events where name = '${HOOK_EVENT}' order by seq`,
    ),
    appended: idsOf(`select id from events where name = '${DATA_EVENT}'`),
    told: idsOf(`select event_id as id from runs where function_id = '${TOLD_FUNCTION}'`),
    outbox: rows("select event_id, kind, dead_at from outbox"),
  };
}

/**
 * Makes some of what a stopped engine's outbox owes dead, as if every try of them had failed: ten tries take eight minutes.
 * How many.
 */
export function killDeliveries(dataDir: string, random: Random): number {
  const db = new DatabaseSync(join(dataDir, "engine.db"));
  try {
    const due = db.prepare("select seq from outbox where due_at is not null order by seq").all() as {
      seq: number;
    }[];
    const kill = db.prepare(
      "update outbox set attempts = 10, last_error = 'soak', due_at = null, dead_at = created_at where seq = ?",
    );
    const chosen = due.filter(() => random.chance(0.5));
    for (const { seq } of chosen) kill.run(seq);
    return chosen.length;
  } finally {
    db.close();
  }
}
