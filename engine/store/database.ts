import { DatabaseSync } from "@photostructure/sqlite";
import { messageOf } from "../errors.ts";
import { migrate } from "./migrations.ts";

/** What SQLite takes as a bound value. `undefined` and booleans are refused by type: SQLite would bind them silently. */
export type Bindable = string | number | bigint | Uint8Array | null;

/** A prepared statement whose rows have a known shape. The shape is a promise of the SQL beside it. */
export interface Query<Row> {
  get(...values: Bindable[]): Row | undefined;
  all(...values: Bindable[]): Row[];
  /** One row after the other, for more of them than fit in memory. */
  each(...values: Bindable[]): Iterable<Row>;
  /** Number of changed rows. */
  run(...values: Bindable[]): number;
}

export interface Database {
  prepare<Row = never>(sql: string): Query<Row>;
  exec(sql: string): void;
  /** What is overwritten or removed inside `work` is zeroed in the file, not just unlinked. */
  erasing<T>(work: () => T): T;
  /** No text, blob or row that is read or made inside `work` may have more bytes. */
  limiting<T>(maxBytes: number, work: () => T): T;
  /**
   * Empties the write-ahead log, so that no old page is left in it. False while somebody else reads: it does not wait for
   * them, for nothing else is done meanwhile.
   */
  emptyLog(): boolean;
  /** Checkpoints the write-ahead log and closes the file. */
  close(): void;
}

/** How long a write waits for somebody else's lock, ms. */
const busyMs = 5_000;

/** The largest text, blob or row. Nothing that comes in is near it. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

/**
 * Opens (or creates) the engine's database and brings its schema up to date. Every commit is on disk before it is
 * acknowledged: WAL with `synchronous=FULL`.
 * @throws Error that names the file and says what to do
 */
export function openDatabase(file: string): Database {
  const raw = openRaw(file);
  return {
    prepare: <Row>(sql: string): Query<Row> => {
      const statement = raw.prepare(sql);
      return {
        get: (...values) => statement.get(...values) as Row | undefined,
        all: (...values) => statement.all(...values) as Row[],
        each: function* (...values) {
          // The driver's iterator does not keep its statement, and reads freed memory once that was collected.
          // This generator does, for as long as somebody holds it.
          yield* statement.iterate(...values) as Iterable<Row>;
        },
        run: (...values) => statement.run(...values).changes,
      };
    },
    exec: (sql) => raw.exec(sql),
    erasing: (work) => {
      raw.exec("pragma secure_delete=on");
      try {
        return work();
      } finally {
        raw.exec("pragma secure_delete=off");
      }
    },
    limiting: (maxBytes, work) => {
      raw.limits.length = maxBytes;
      try {
        return work();
      } finally {
        raw.limits.length = MAX_ROW_BYTES;
      }
    },
    emptyLog: () => {
      raw.exec("pragma busy_timeout=0");
      try {
        const row = raw.prepare("pragma wal_checkpoint(truncate)").get() as { busy: number };
        return row.busy === 0;
      } finally {
        raw.exec(`pragma busy_timeout=${busyMs}`);
      }
    },
    close: () => {
      raw.exec("pragma wal_checkpoint(truncate)");
      raw.close();
    },
  };
}

function openRaw(file: string): InstanceType<typeof DatabaseSync> {
  let raw: InstanceType<typeof DatabaseSync> | undefined;
  try {
    raw = new DatabaseSync(file, { limits: { length: MAX_ROW_BYTES } });
    raw.exec(
      `pragma journal_mode=wal; pragma synchronous=full; pragma busy_timeout=${busyMs}; pragma foreign_keys=on; pragma temp_store=memory; pragma cache_size=-32000`,
    );
    migrate(raw);
    return raw;
  } catch (cause) {
    raw?.close();
    const advice = isDamage(cause)
      ? "; put a copy of it back, or move it away together with its -wal and -shm files to start with an empty one"
      : "";
    throw new Error(`the database ${file} cannot be used (${messageOf(cause)})${advice}`, { cause });
  }
}

/** SQLite's corrupt and not-a-database. */
const isDamage = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && [11, 26].includes(Number(error.errcode) & 0xff);

/** SQLite's primary result codes that say: not now, or not on this disk. */
const troubles = new Set([5, 6, 8, 10, 13, 14]);

/** An I/O error that is none: there was no memory for it. The same change would want as much again. */
const ioErrorNoMemory = 3082;

/** Busy, locked, read-only, I/O error, full, cannot open: the same change may succeed later. */
export function isStorageTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  const code = Number(error.errcode);
  return code !== ioErrorNoMemory && troubles.has(code & 0xff);
}
