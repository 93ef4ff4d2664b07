import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const STEP_MS = 10;
/** However loaded the machine is, nothing is waited for longer. */
const AT_MOST_MS = 60_000;

/**
 * A clock for promises of the kind "within 2 s", which hold for a machine that has time for us: it stands still while
 * something on the machine waits for a processor, as Linux's pressure accounting tells it. Where the system does not tell, it
 * stands still for good.
 * @returns what has passed since the call, ms
 */
export async function unhurriedClock(): Promise<() => Promise<number>> {
  const startMs = performance.now();
  const stalledBeforeMs = await stalledMs();
  return async () => {
    const stalled = await stalledMs();
    if (stalled === undefined || stalledBeforeMs === undefined) return 0;
    return Math.max(0, performance.now() - startMs - (stalled - stalledBeforeMs));
  };
}

/**
 * Waits until `look` is true, `promisedMs` of an unhurried clock at most.
 * @throws when the promise is not kept
 */
export async function within(
  what: string,
  promisedMs: number,
  look: () => boolean | Promise<boolean>,
  startClock = unhurriedClock,
): Promise<void> {
  const endMs = performance.now() + AT_MOST_MS;
  const passedMs = await startClock();
  for (;;) {
    const passed = await passedMs();
    if (passed > promisedMs || performance.now() > endMs)
      throw new Error(`not within ${promisedMs} ms, time of a loaded machine not counted: ${what}`);
    if (await look()) return;
    await sleep(STEP_MS);
  }
}

/** How long something has waited for a processor since the start of the machine, ms; undefined where nobody counts it. */
async function stalledMs(): Promise<number | undefined> {
  const text = await readFile("/proc/pressure/cpu", "utf8").catch(() => "");
  const microseconds = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return microseconds === undefined ? undefined : Number(microseconds) / 1_000;
}
