import { Script } from "node:vm";

const script = new Script("run()");

/** How often work is begun again that a busy machine did not let run. */
const ATTEMPTS = 4;

/** Code took longer than it was given. */
export class TookTooLong extends Error {
  override readonly name = "TookTooLong";
}

/** What this process has had of the processors since its start, ms. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Runs `work` and cuts it off after `ms` milliseconds, even in the middle of a regular expression: the patterns in an
 * application's schema are not ours, and one that backtracks for ever would stop every other call with it.
 *
 * A machine that has no processor for us says nothing about the work: when this process got less than half of the time, the
 * work is begun again with twice as much, a few times. So it must have no effect before its end.
 * @throws TookTooLong, or what `work` throws
 */
export function withTimeLimit<T>(ms: number, work: () => T, meter = processorMs): T {
  for (let attempt = 1, timeout = ms; ; attempt += 1, timeout *= 2) {
    const before = meter();
    try {
      return script.runInNewContext({ run: work }, { timeout }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      if (attempt === ATTEMPTS || meter() - before >= ms / 2)
        throw new TookTooLong(`took longer than ${ms} ms`);
    }
  }
}
