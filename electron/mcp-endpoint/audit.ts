import { open, type FileHandle } from "node:fs/promises";

/** Lines that wait for the disk; more than this is lost, and counted. */
const MAX_WAITING = 10_000;

/** One thing that happened. Argument values are never in it. */
export interface AuditEvent {
  /** `mcp.call`, `mcp.result`, `mcp.refused`, `consent.asked`, `consent.<outcome>`. */
  readonly event: string;
  /** `token:<name>` or `user`. */
  readonly user: string;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

export interface Audit {
  /**
   * Writes one line. Resolves once it is on disk; never rejects: a disk that is full is counted and logged, and does not
   * stop the work.
   */
  write(event: AuditEvent): Promise<void>;
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
}

/** The audit: one JSON object a line, each on disk before `write` resolves; lines that come together share one flush. */
export function openAudit(options: AuditOptions): Audit {
  let waiting: { line: string; done: () => void }[] = [];
  let file: FileHandle | undefined;
  let writing: Promise<void> | undefined;
  let lost = 0;
  let failing = false;
  /** The last life of the app, or a disk that was full, may have left half a line: the next one must not grow onto it. */
  let mayBeTorn = true;

  function lose(lines: number, cause: unknown): void {
    lost += lines;
    if (!failing) options.onLost(cause);
    failing = true;
  }

  /** Writes until nothing waits. File work runs in the thread pool, not on main's thread. */
  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        file ??= await open(options.path, "a+", 0o600);
        const start = mayBeTorn && (await isTorn(file)) ? "\n" : "";
        mayBeTorn = true; // until all of it is on disk
        await file.appendFile(start + batch.map(({ line }) => line).join(""));
        await file.datasync();
        mayBeTorn = false;
        failing = false;
      } catch (cause) {
        lose(batch.length, cause);
      }
      for (const { done } of batch) done();
    }
    writing = undefined;
  }

  return {
    write({ event, user, detail }) {
      if (waiting.length >= MAX_WAITING) {
        lose(1, new Error(`${MAX_WAITING} lines already wait for the disk`));
        return Promise.resolve();
      }
      const line = `${JSON.stringify({ time: options.now().toISOString(), event, user, detail })}\n`;
      return new Promise((done) => {
        waiting.push({ line, done });
        writing ??= drain();
      });
    },
    get lost() {
      return lost;
    },
    async close() {
      await writing;
      await file?.close();
      file = undefined;
    },
  };
}

async function isTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
