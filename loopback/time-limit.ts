import { Script } from "node:vm";

const script = new Script("run()");

/** Code took longer than it was given. */
export class TookTooLong extends Error {
  override readonly name = "TookTooLong";
}

/**
 * Runs `work` and cuts it off after `ms` milliseconds, even in the middle of a regular expression: the patterns in an
 * application's schema are not ours, and one that backtracks for ever would stop every other call with it.
 * @throws TookTooLong, or what `work` throws
 */
export function withTimeLimit<T>(ms: number, work: () => T): T {
  try {
    return script.runInNewContext({ run: work }, { timeout: ms }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new TookTooLong(`took longer than ${ms} ms`);
    throw error;
  }
}
