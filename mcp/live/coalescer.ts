import { systemClock, type Clock } from "../../loopback/clock.ts";

/**
 * Passes hits on at once and then at most one per `periodMs` and key, the last one included: after a burst there is always
 * one more notice, so nobody is left with an older picture.
 */
export class Coalescer<Key> {
  readonly #notify: (key: Key) => void;
  readonly #periodMs: number;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  /** Keys in their quiet period, and whether they were hit in it. */
  readonly #quiet = new Map<Key, boolean>();

  constructor(notify: (key: Key) => void, periodMs: number, clock: Clock = systemClock) {
    this.#notify = notify;
    this.#periodMs = periodMs;
    this.#clock = clock;
  }

  hit(key: Key): void {
    if (this.#closed.signal.aborted) return;
    if (this.#quiet.has(key)) this.#quiet.set(key, true);
    else void this.#notifyUntilQuiet(key);
  }

  close(): void {
    this.#closed.abort();
    this.#quiet.clear();
  }

  async #notifyUntilQuiet(key: Key): Promise<void> {
    do {
      this.#quiet.set(key, false);
      this.#notify(key);
      await this.#clock.sleep(this.#periodMs, this.#closed.signal);
    } while (!this.#closed.signal.aborted && this.#quiet.get(key) === true);
    this.#quiet.delete(key);
  }
}
