/** A row of either list, as far as it is grouped. */
type Row = {
  readonly id: string;
  readonly event_id?: string | undefined;
  readonly event_name?: string | undefined;
};

/** Rows that share an event: what is done to one of them is done to all. Rows without an event stand alone. */
export type EventGroup<R extends Row> = {
  readonly key: string;
  readonly eventId: string | null;
  readonly eventName: string | null;
  readonly rows: readonly R[];
};

/** Groups in the order of their newest row; rows in a group keep their order. */
export function groupByEvent<R extends Row>(rows: readonly R[]): readonly EventGroup<R>[] {
  const groups = new Map<string, R[]>();
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
