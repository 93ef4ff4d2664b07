/** Output that comes closer together than this counts as one, in ms. */
const FIRST_GAP_MS = 20;
const MAX_POINTS = 4_096;

/** At which offset of the output what time it was: enough to play it back, bounded however long it goes on. */
export class Timeline {
  readonly #points: { offset: number; atMs: number }[] = [];
  #gapMs = FIRST_GAP_MS;

  /** Output begins at `offset` now. */
  note(offset: number, atMs: number): void {
    const last = this.#points.at(-1);
    if (last !== undefined && atMs - last.atMs < this.#gapMs) return;
    this.#points.push({ offset, atMs });
    if (this.#points.length < MAX_POINTS) return;
    // Half as fine from here on, and what is there already too.
    this.#gapMs *= 2;
    const kept = this.#points.filter((_, index) => index % 2 === 0);
    this.#points.splice(0, this.#points.length, ...kept);
  }

  /** Oldest first. */
  get points(): readonly { offset: number; atMs: number }[] {
    return this.#points;
  }
}
