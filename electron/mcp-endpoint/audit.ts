import { systemClock, type Clock } from "../../loopback/clock.ts";
import type { AuditRow } from "../contract/audit.ts";
import { AUDIT_LIMITS, auditFile, auditFiles, type AuditFileLimits } from "./audit-file.ts";
import { queryAudit, type AuditFilter } from "./audit-query.ts";

/** Lines that wait for the disk; more than this is lost, and counted. */
const MAX_WAITING_LINES = 10_000;

/** How long repetitions of one refusal share a row, in ms. */
export const REPEATS_MS = 60_000;

/** One thing that happened. Argument values are never in it. */
export type AuditEvent = Omit<AuditRow, "time">;

export interface Audit {
  /**
   * Writes one line. Resolves once it is on disk; never rejects: a disk that is full is counted and logged, and does not
   * stop the work.
   */
  write(event: AuditEvent): Promise<void>;
  /**
   * For what anybody can repeat at will: the first is written at once, those of the next minute that are the same but for
   * their time and port share one row with their `count`.
   */
  repeat(event: AuditEvent): void;
  /** Rows on disk that match, newest first; a line that was torn by a crash is skipped. @throws the file system's error */
  query(filter: AuditFilter): Promise<AuditRow[]>;
  /** Lines that did not reach the disk. */
  readonly lost: number;
  /** Writes what waits and closes the file. */
  close(): Promise<void>;
}

export interface AuditOptions {
  readonly path: string;
  readonly now: () => Date;
  /** Called at the first lost line of a row of them. */
  readonly onLost: (cause: unknown) => void;
  readonly clock?: Clock;
  readonly limits?: AuditFileLimits;
}

/** The audit: one JSON object a line, each on disk before `write` resolves; lines that come together share one flush. */
export function openAudit(options: AuditOptions): Audit {
  const { clock = systemClock, limits = AUDIT_LIMITS } = options;
  const file = auditFile(options.path, limits);
  let waiting: { line: string; done: () => void }[] = [];
  let writing: Promise<void> | undefined;
  let lost = 0;
  let failing = false;
  const repeats = new Map<string, { event: AuditEvent; more: number }>();
  const closing = new AbortController();

  function lose(lines: number, cause: unknown): void {
    lost += lines;
    if (!failing) options.onLost(cause);
    failing = true;
  }

  /** Writes until nothing waits. */
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await file.append(batch.map(({ line }) => line).join(""));
        failing = false;
      } catch (cause) {
        lose(batch.length, cause);
      }
      for (const { done } of batch) done();
    }
    writing = undefined;
  }

  function write(event: AuditEvent): Promise<void> {
    if (waiting.length >= MAX_WAITING_LINES) {
      lose(1, new Error(`${MAX_WAITING_LINES} lines already wait for the disk`));
      return Promise.resolve();
    }
    const line = `${JSON.stringify({ time: options.now().toISOString(), ...event })}\n`;
    return new Promise((done) => {
      waiting.push({ line, done });
      writing ??= drain();
    });
  }

  function endRepeats(key: string): void {
    const repeated = repeats.get(key);
    repeats.delete(key);
    if (repeated === undefined || repeated.more === 0) return;
    const { event, more } = repeated;
    void write({ ...event, detail: { ...event.detail, count: more } }); // never rejects
  }

  return {
    write,
    repeat(event) {
      const key = JSON.stringify([event.event, event.user, event.detail]);
      const known = repeats.get(key);
      if (known !== undefined) {
        known.more += 1;
        return;
      }
      repeats.set(key, { event, more: 0 });
      void write(event); // never rejects
      void clock.sleep(REPEATS_MS, closing.signal).then(() => endRepeats(key)); // sleep never rejects
    },
    async query(filter) {
      await writing;
      return queryAudit(auditFiles(options.path, limits.keep), filter);
    },
    get lost() {
      return lost;
    },
    async close() {
      closing.abort();
      for (const key of repeats.keys()) endRepeats(key);
      await writing;
      await file.close();
    },
  };
}
