import { setTimeout as sleep } from "node:timers/promises";

const STEP_MS = 10;

/** Waits until `look` returns something other than undefined or false. @throws when `withinMs` is over before that */
export async function poll<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 60_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(STEP_MS);
  }
}
