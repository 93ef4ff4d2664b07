import type { TerminalSize } from "./contract/api.ts";

/** A size that holds for what is printed from `offset` on. */
export interface SizeChange {
  readonly offset: number;
  readonly size: TerminalSize;
  readonly atMs: number;
}

/** About what a minute of pulling at the window's edge makes. */
export const MAX_SIZES = 1_024;
/** Where there are more, those closer together than this count as one, in ms; than twice this if those are still many, and so on. */
const FIRST_GAP_MS = 20;

/**
 * Which size a terminal had for which part of its output, for recordings. Bounded: where it changed more often than is
 * kept, of changes that came close together only the last is left, where it was; what was printed between them counts as
 * printed at the size before.
 */
export class SizeHistory {
  readonly #first: TerminalSize;
  #changes: SizeChange[] = [];

  constructor(first: TerminalSize) {
    this.#first = first;
  }

  get current(): TerminalSize {
    return this.#changes.at(-1)?.size ?? this.#first;
  }

  /** What is printed at `offset` and after it is for this size. */
  note(offset: number, size: TerminalSize, atMs: number): void {
    this.#changes.push({ offset, size, atMs });
    if (this.#changes.length < MAX_SIZES) return;
    for (let gapMs = FIRST_GAP_MS; this.#changes.length > MAX_SIZES / 2; gapMs *= 2)
      this.#changes = lastOfEach(this.#changes, gapMs);
  }

  /** The size that held at an offset, and how it changed after it, oldest first. */
  from(offset: number): { size: TerminalSize; changes: readonly SizeChange[] } {
    const before = this.#changes.findLast((change) => change.offset <= offset);
    const changes = this.#changes.filter((change) => change.offset > offset);
    return { size: before?.size ?? this.#first, changes };
  }
}

function lastOfEach(changes: readonly SizeChange[], gapMs: number): SizeChange[] {
  const gapOf = (change: SizeChange | undefined) => change && Math.floor(change.atMs / gapMs);
  return changes.filter((change, index) => gapOf(change) !== gapOf(changes[index + 1]));
}
