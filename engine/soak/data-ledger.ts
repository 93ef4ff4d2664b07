import type { DataSnapshot } from "./data-snapshot.ts";

/** The entity events that projections of the soak read, and what they make of them. */
export const DATA_EVENT = "soak.added";
export const SUM_PROJECTION = "soak-sum";
export const ACK_PROJECTION = "soak-ack";
export const SQL_PROJECTION = "soak-sql";
export const SQL_TABLE = "proj_soak";

export interface Sum {
  count: number;
  sum: number;
}

/** What the engine has acknowledged about streams and projections, and what has to be true of them at every moment. */
export interface DataLedger {
  appended(entityId: string, version: number, eventId: string): void;
  /** A save or acknowledgement was answered; `seq` is where the read model that is served has to be, when that is known. */
  saved(projection: string, seq: number | undefined): void;
  /** What is wrong, one line each. */
  compare(snapshot: DataSnapshot): string[];
  /** Further checks for when every projection is up to date. */
  compareEnd(snapshot: DataSnapshot): string[];
  counts(): { appends: number; saves: number };
}

export function createDataLedger(): DataLedger {
  /** `entity version` to event. */
  const appends = new Map<string, string>();
  const progress = new Map<string, number>();
  const faults: string[] = [];
  let saves = 0;

  function compareStreams({ entityEvents, streams }: DataSnapshot): string[] {
    const found: string[] = [];
    const versions = new Map<string, number>();
    const stored = new Map<string, string>();
    for (const event of entityEvents) {
      const before = versions.get(event.entity_id) ?? 0;
      if (event.entity_version !== before + 1)
        found.push(`entity ${event.entity_id} has version ${event.entity_version} after ${before}`);
      versions.set(event.entity_id, event.entity_version);
      stored.set(`${event.entity_id} ${event.entity_version}`, event.id);
    }
    for (const [place, eventId] of appends)
      if (stored.get(place) !== eventId)
        found.push(`the acknowledged append ${place} (${eventId}) is missing`);
    for (const stream of streams)
      if (versions.get(stream.entity_id) !== stream.version)
        found.push(`stream ${stream.entity_id} says version ${stream.version}`);
    return found;
  }

  /** Every read model is what its events up to its own position add up to, neither more nor less. */
  function compareReadModels({ entityEvents, projections, states, sqlRows }: DataSnapshot): string[] {
    const found: string[] = [];
    const upTo = (seq: number): Sum => {
      const events = entityEvents.filter((event) => event.seq <= seq);
      return { count: events.length, sum: events.reduce((sum, event) => sum + event.n, 0) };
    };
    for (const state of states) {
      const wanted = upTo(state.last_event_seq);
      if (state.count !== wanted.count || state.sum !== wanted.sum)
        found.push(
          `generation ${state.generation} of ${SUM_PROJECTION} at ${state.last_event_seq} is ${JSON.stringify(state)}, not ${JSON.stringify(wanted)}`,
        );
    }
    for (const table of sqlRows) {
      const wanted = upTo(table.cursor_seq);
      if (table.count !== wanted.count || table.sum !== wanted.sum)
        found.push(
          `${SQL_TABLE} at ${table.cursor_seq} is ${JSON.stringify(table)}, not ${JSON.stringify(wanted)}`,
        );
    }
    for (const projection of projections) {
      const acknowledged = progress.get(projection.name) ?? 0;
      // A rebuild counts on from its own beginning; the old generation stays where it was.
      if (projection.cursor_seq < acknowledged && projection.rebuild_id === null)
        found.push(`${projection.name} is at ${projection.cursor_seq}, ${acknowledged} was acknowledged`);
      if (projection.status === "error")
        found.push(`${projection.name} failed: ${String(projection.error_message)}`);
    }
    return found;
  }

  const compare = (snapshot: DataSnapshot) => [
    ...faults.splice(0),
    ...compareStreams(snapshot),
    ...compareReadModels(snapshot),
  ];

  return {
    appended: (entityId, version, eventId) => {
      const place = `${entityId} ${version}`;
      const known = appends.get(place);
      if (known !== undefined && known !== eventId)
        faults.push(`${place} was acknowledged as ${known}, then as ${eventId}`);
      appends.set(place, eventId);
    },
    saved: (projection, seq) => {
      saves += 1;
      if (seq === undefined) return;
      progress.set(projection, Math.max(progress.get(projection) ?? 0, seq));
    },
    compare,
    compareEnd: (snapshot) => {
      const found = compare(snapshot);
      const last = snapshot.entityEvents.reduce((seq, event) => Math.max(seq, event.seq), 0);
      for (const { name, cursor_seq: cursor, rebuild_id: rebuild } of snapshot.projections)
        if (cursor < last || rebuild !== null)
          found.push(
            `${name} ended at ${cursor}, not at ${last}${rebuild === null ? "" : ", still rebuilding"}`,
          );
      return found;
    },
    counts: () => ({ appends: appends.size, saves }),
  };
}
