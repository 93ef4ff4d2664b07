import { systemClock } from "./clock.ts";
import type { NodeProgram } from "./environment.ts";
import { readProcess, type ProcessId } from "./processes.ts";
import {
  openReaper,
  ReaperError,
  type ReaperConnection,
  type ReaperEnd,
  type ReaperQuestion,
} from "./reaper-connection.ts";

export { ReaperError, type ReaperEnd } from "./reaper-connection.ts";

export interface ReaperOptions {
  /** How to run the bundled `reaper-main.ts`: `nodeProgram("…/dist/reaper.cjs")`. */
  program: NodeProgram;
  /** This life's value of IRONBRIDGE_SESSION: 8 to 64 letters, digits and hyphens. */
  session: string;
  /** Absolute path of the file of records, one per profile. Call `endLeftovers` with it first. */
  file: string;
  /** The reaper ended unasked and could not be restarted: from now on a crash of ours would leave processes behind. */
  onLost?: (error: Error) => void;
}

export interface Reaper {
  /** Pid of the running reaper. */
  pid(): number;
  /**
   * Resolves when the reaper knows the process: true, or false when there is no such process any more. Its session and its
   * group belong to it. A process that ends by itself need not be forgotten.
   * @throws ReaperError when the reaper is lost or refuses
   */
  record(id: ProcessId): Promise<boolean>;
  /** Leaves a process alone from now on, unless it carries the marker. @throws ReaperError */
  forget(pid: number): Promise<void>;
  /** Closes the pipe and waits until the reaper has ended what is left and gone. May be called more than once. */
  close(): Promise<ReaperEnd>;
}

const MAX_RESTARTS = 3;
const RESTART_AFTER_MS = 50;

/**
 * Starts the reaper: the first child of the app, so that all others are covered. It holds one end of a pipe whose other end
 * is ours, and when the pipe closes, by `close` or because we are gone, it ends what was recorded and everything that
 * carries the session's marker. A reaper that ends unasked is started again with all records, three times.
 * @throws LaunchError or ReaperError when it cannot be started
 */
export async function startReaper(options: ReaperOptions): Promise<Reaper> {
  const records = new Map<number, ProcessId>();
  const self = await readProcess(process.pid);
  if (self === undefined) throw new ReaperError("cannot find our own process in the system's list");
  const { session, file } = options;
  const config = { session, file, owner: { pid: self.pid, startTime: self.startTime } };

  const connect = async (): Promise<ReaperConnection> => {
    const connection = openReaper(options.program);
    try {
      await connection.ask({ config });
      for (const { pid, startTime } of records.values()) {
        const answer = await connection.ask({ add: { pid, startTime } });
        if (answer.held === false) records.delete(pid);
      }
      return connection;
    } catch (error) {
      connection.kill();
      await connection.gone;
      throw error;
    }
  };

  let current = await connect();
  let ready = Promise.resolve(current);
  let restarts = 0;
  let closing: Promise<ReaperEnd> | undefined;

  const watch = (connection: ReaperConnection) => {
    void connection.gone.then(restart); // restart never throws
  };
  const restart = (why: Error) => {
    if (closing !== undefined) return;
    restarts += 1;
    if (restarts > MAX_RESTARTS) {
      options.onLost?.(why);
      return;
    }
    ready = systemClock.sleep(RESTART_AFTER_MS).then(connect);
    ready.then((connection) => {
      current = connection;
      watch(connection);
    }, restart);
  };
  watch(current);

  const ask = async (question: ReaperQuestion) => {
    for (;;) {
      const asked = ready;
      try {
        return await (await asked).ask(question);
      } catch (error) {
        // By now `restart` has run, if the reaper has gone; what is asked may be asked twice.
        if (closing !== undefined || asked === ready) throw error;
      }
    }
  };

  return {
    pid: () => current.pid,
    record: async ({ pid, startTime }) => {
      records.set(pid, { pid, startTime });
      const held = (await ask({ add: { pid, startTime } })).held === true;
      if (!held) records.delete(pid);
      return held;
    },
    forget: async (pid) => {
      records.delete(pid);
      await ask({ remove: pid });
    },
    close: () => (closing ??= close()),
  };

  async function close(): Promise<ReaperEnd> {
    const connection = await ready.catch(() => current);
    return connection.end();
  }
}
