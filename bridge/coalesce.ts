/**
 * Calls `act` some time after it was asked for, once for all requests in between. A request for `soonMs` overtakes one for
 * `laterMs`.
 */
export class Coalesced {
  readonly #act: () => void;
  readonly #soonMs: number;
  readonly #laterMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #stopped = false;

  constructor(act: () => void, times: { soonMs: number; laterMs: number }) {
    this.#act = act;
    this.#soonMs = times.soonMs;
    this.#laterMs = times.laterMs;
  }

  soon(): void {
    if (this.#isSoon) return;
    clearTimeout(this.#timer);
    this.#isSoon = true;
    this.#start(this.#soonMs);
  }

  later(): void {
    if (this.#timer === undefined) this.#start(this.#laterMs);
  }

  /** What was asked for is not waited for. */
  now(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#fire();
  }

  /** Nothing is called any more. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(afterMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#fire(), afterMs);
  }

  #fire(): void {
    this.#timer = undefined;
    this.#isSoon = false;
    this.#act();
  }
}
