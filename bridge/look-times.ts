/** Something just happened: it is looked again after so long, in ms. */
export const LOOK_SOON_MS = 400;
/** Nothing happens: twice as long each time, up to this, in ms. */
export const LOOK_LATE_MS = 3_200;

/**
 * When to look whether a program waits for a person: soon after it printed or was typed to, ever more seldom while it is
 * still. A look reads a dozen files of the system and may start a program, and most terminals rest most of the time.
 */
export class LookTimes {
  #gapMs = 0;
  #dueMs = 0;

  /** It printed, or somebody typed. */
  happened(): void {
    this.#gapMs = 0;
    this.#dueMs = 0;
  }

  /** Nothing has happened for some looks. */
  get isResting(): boolean {
    return this.#gapMs === LOOK_LATE_MS;
  }

  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueMs;
  }

  looked(nowMs: number): void {
    this.#gapMs = this.#gapMs === 0 ? LOOK_SOON_MS : Math.min(LOOK_LATE_MS, this.#gapMs * 2);
    this.#dueMs = nowMs + this.#gapMs;
  }
}
