import type { DeadLetter } from "../../mcp/contract/domain.ts";

/** Rows that share an event: what is done to one of them is done to all. Rows without an event stand alone. */
export type DeadLetterGroup = {
  readonly key: string;
  readonly eventId: string | null;
  readonly eventName: string | null;
  readonly rows: readonly DeadLetter[];
};

/** Groups in the order of their newest row; rows in a group keep their order. */
export function groupByEvent(rows: readonly DeadLetter[]): readonly DeadLetterGroup[] {
  const groups = new Map<string, DeadLetter[]>();
  for (const row of rows) {
    const key = row.event_id === undefined ? `row ${row.id}` : `event ${row.event_id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups].map(([key, members]) => ({
    key,
    eventId: members[0]?.event_id ?? null,
    eventName: members.find(({ event_name }) => event_name !== undefined)?.event_name ?? null,
    rows: members,
  }));
}
