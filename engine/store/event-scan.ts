import type { Database } from "./database.ts";
import type { EventRow } from "./events.ts";

/** Which events are looked for, in the order in which they were stored. */
export interface Scan {
  environmentId: string;
  names: readonly string[];
  /** Exclusive. */
  afterSeq: number;
  /** Inclusive. */
  upToSeq: number;
  /** The most events to find. */
  limit: number;
  /** The most bytes their data may have together; one event is always given. */
  maxBytes: number;
}

export interface Scanned {
  events: EventRow[];
  /** There is nothing else to find up to here. */
  scannedTo: number;
}

export interface EventScanner {
  /** The number of the newest event of all environments, 0 when there is none. */
  headSeq(): number;
  /** Names that events of this environment have. */
  names(environmentId: string): string[];
  /** Looks at every event between the two numbers: the caller keeps them close. */
  scan(scan: Scan): Scanned;
  /** How many events a scan would find. */
  count(scan: Pick<Scan, "environmentId" | "names" | "afterSeq" | "upToSeq">): number;
}

/**
 * Reads events in the order of their numbers. It walks the table and not an index on names: what is wanted is mostly what
 * came last, and the bound on events looked at is the bound on time.
 */
export function createEventScanner(db: Database): EventScanner {
  const head = db.prepare<{ seq: number | null }>("select max(seq) as seq from events");
  const names = db.prepare<{ name: string }>("select name from event_names where environment_id = ?");
  // The plus signs keep SQLite from the indexes of the two columns.
  const where = `seq > ?1 and seq <= ?2 and +environment_id = ?3 and +name in (select value from json_each(?4))`;
  const sizes = db.prepare<{ seq: number; bytes: number }>(
    `select seq, octet_length(data) + coalesce(octet_length(metadata), 0) as bytes from events where ${where}
     order by seq limit ?5`,
  );
  const rows = db.prepare<EventRow>(`select * from events where ${where} order by seq`);
  const count = db.prepare<{ n: number }>(`select count(*) as n from events where ${where}`);
  return {
    headSeq: () => head.get()?.seq ?? 0,
    names: (environmentId) => names.all(environmentId).map(({ name }) => name),
    scan: (s) => {
      const wanted = JSON.stringify(s.names);
      const found = sizes.all(s.afterSeq, s.upToSeq, s.environmentId, wanted, s.limit);
      let bytes = 0;
      const tooMany = found.findIndex((row) => (bytes += row.bytes) > s.maxBytes);
      const given = tooMany < 0 ? found : found.slice(0, Math.max(1, tooMany));
      const last = given.at(-1);
      if (last === undefined) return { events: [], scannedTo: s.upToSeq };
      const whole = given.length === found.length && found.length < s.limit;
      return {
        events: rows.all(s.afterSeq, last.seq, s.environmentId, wanted),
        scannedTo: whole ? s.upToSeq : last.seq,
      };
    },
    count: (s) => count.get(s.afterSeq, s.upToSeq, s.environmentId, JSON.stringify(s.names))?.n ?? 0,
  };
}
