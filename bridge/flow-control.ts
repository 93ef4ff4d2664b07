import { FLOW } from "./contract/flow.ts";

export interface FlowLimits {
  holdAboveChars: number;
  sendBelowChars: number;
  ackEveryChars: number;
}

/**
 * Decides when a tab gets more, from counts alone: sent and not yet acknowledged, in UTF-16 code units. Above
 * `holdAboveChars` it holds; below `sendBelowChars` it goes on.
 */
export class FlowControl {
  readonly #limits: FlowLimits;
  #unacknowledged = 0;
  #holding = false;

  /**
   * A tab that acknowledges every `ackEveryChars` may leave one less than that unacknowledged for ever, so that must be
   * below `sendBelowChars`.
   * @throws RangeError when the limits could hold for ever
   */
  constructor(limits: FlowLimits = FLOW) {
    const { holdAboveChars, sendBelowChars, ackEveryChars } = limits;
    if (ackEveryChars < 1 || ackEveryChars >= sendBelowChars || sendBelowChars > holdAboveChars)
      throw new RangeError(
        `flow limits must be 1 <= ackEvery < sendBelow <= holdAbove: ${ackEveryChars}, ${sendBelowChars}, ${holdAboveChars}`,
      );
    this.#limits = limits;
  }

  get unacknowledgedChars(): number {
    return this.#unacknowledged;
  }

  get maySend(): boolean {
    return !this.#holding;
  }

  sent(chars: number): void {
    this.#unacknowledged += chars;
    if (this.#unacknowledged > this.#limits.holdAboveChars) this.#holding = true;
  }

  /** Counts what the tab has parsed. A tab cannot acknowledge more than it was sent: the rest is ignored. */
  acknowledged(chars: number): void {
    this.#unacknowledged = Math.max(0, this.#unacknowledged - chars);
    if (this.#unacknowledged < this.#limits.sendBelowChars) this.#holding = false;
  }
}
