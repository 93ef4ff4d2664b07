import { ESCAPE } from "./control-bytes.ts";

const BELL = 0x07;
/** What begins a string after ESC, which a bell character ends without ringing: OSC, DCS, PM, APC, SOS. */
const STRING_BEGINS = new Set(Buffer.from("]P^_X"));
/** Longer strings are not remembered over pieces of output: a bell after them counts, in bytes. */
const KEPT_BYTES = 4_096;

/** Counts how often output rings the bell, also where nobody looks. Output without a bell character costs one search. */
export class BellWatch {
  #count = 0;
  /** The end of what was taken, from the last ESC on, as far as it may be an unfinished string. */
  #open: Uint8Array = new Uint8Array();

  get count(): number {
    return this.#count;
  }

  take(bytes: Uint8Array): void {
    let from = 0;
    for (let at = bytes.indexOf(BELL); at >= 0; at = bytes.indexOf(BELL, from)) {
      if (!this.#endsString(bytes.subarray(from, at))) this.#count += 1;
      this.#open = new Uint8Array();
      from = at + 1;
    }
    this.#keep(bytes.subarray(from));
  }

  /** Is the last ESC before a bell the beginning of a string? Any other ESC would have ended one. */
  #endsString(before: Uint8Array): boolean {
    const escape = before.lastIndexOf(ESCAPE);
    const next = escape < 0 ? this.#afterOpen(before) : before[escape + 1];
    return next !== undefined && STRING_BEGINS.has(next);
  }

  #afterOpen(before: Uint8Array): number | undefined {
    return this.#open.length > 1 ? this.#open[1] : this.#open.length === 1 ? before[0] : undefined;
  }

  #keep(rest: Uint8Array): void {
    const escape = rest.lastIndexOf(ESCAPE);
    if (escape >= 0) this.#open = rest.slice(escape, escape + KEPT_BYTES);
    else if (this.#open.length > 0) {
      const length = this.#open.length + rest.length;
      this.#open = length > KEPT_BYTES ? new Uint8Array() : Buffer.concat([this.#open, rest]);
    }
  }
}
