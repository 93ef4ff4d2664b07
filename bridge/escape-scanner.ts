import { C1_LEAD, ESCAPE, LAST_C1 } from "./control-bytes.ts";

const BELL = 0x07;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;

/** `string` is DCS, SOS, PM or APC; `title` is OSC, which a bell ends as well. */
type Mode = "text" | "escape" | "intermediate" | "control" | "title" | "string";

const AFTER_ESCAPE: Readonly<Record<number, Mode>> = {
  0x50: "string",
  0x58: "string",
  0x5b: "control",
  0x5d: "title",
  0x5e: "string",
  0x5f: "string",
};

/** What may end a string, or begin to; every other byte in one means nothing. */
const STRING_ENDS = new Set([ESCAPE, C1_LEAD, BELL, CANCEL, SUBSTITUTE]);
const MEANS_NOTHING = Uint8Array.from({ length: 256 }, (_, byte) => (STRING_ENDS.has(byte) ? 0 : 1));

/** What there was before a byte, as far as it matters for what comes. `lead`: the last byte may begin a control (C1). */
export interface EscapeState {
  readonly mode: Mode;
  readonly lead: boolean;
}

/** Outside of sequences. */
export const TEXT_STATE: EscapeState = { mode: "text", lead: false };

/**
 * Tells text from escape sequences as a terminal does, byte by byte, over as many pieces as there are: begins outside of
 * sequences if it is not told otherwise, and keeps nothing of a sequence but where it is. Positions count from the first
 * byte that it took.
 */
export class EscapeScanner {
  #mode: Mode = "text";
  /** The string that an escape has just cut, to begin another sequence or to close it. */
  #cutString = false;
  #lead = false;
  #escapeAt = 0;
  #openAt = 0;
  #at = 0;
  /** Position after the last line break that is text; 0 when there is none. */
  afterBreak = 0;
  /** Positions of the last two carriage returns that are text. */
  #returns: [number, number] = [-1, -1];

  constructor({ mode, lead }: EscapeState = TEXT_STATE) {
    this.#mode = mode;
    this.#lead = lead;
  }

  get state(): EscapeState {
    return isText(this.#mode, this.#lead) ? TEXT_STATE : { mode: this.#mode, lead: this.#lead };
  }

  /** Where the sequence begins that is not complete yet; undefined outside of sequences. */
  get openAt(): number | undefined {
    return this.#mode === "text" ? undefined : this.#openAt;
  }

  /** Within a string of whatever length: a title, an image, a clipboard. */
  get inString(): boolean {
    return this.#isString() || this.#cutString;
  }

  /** The last carriage return that is text, before `end`; -1 when there is none. */
  returnBefore(end: number): number {
    const [last, other] = this.#returns;
    return last < end ? last : other;
  }

  /** Takes bytes. @returns how many: all, or those up to the end of the string it was in when `untilText` */
  take(bytes: Uint8Array, untilText = false): number {
    for (let index = 0; index < bytes.length; index += 1) {
      if (this.#isString() && !this.#lead) {
        const from = index;
        while (index < bytes.length && MEANS_NOTHING[bytes[index] ?? 0] === 1) index += 1;
        this.#at += index - from;
        if (index === bytes.length) break;
      }
      this.#step(bytes[index] ?? 0);
      if (untilText && isText(this.#mode, this.#lead)) return index + 1;
    }
    return bytes.length;
  }

  /** Takes bytes. @returns them without what strings hold; where strings begin and end stays */
  takeWithoutStrings(bytes: Uint8Array): Uint8Array {
    const kept = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      const within = this.#isString();
      const lead = this.#lead;
      this.#step(byte);
      if (within && this.#isString()) continue;
      if (within && lead && byte <= LAST_C1) length = kept.writeUInt8(C1_LEAD, length);
      length = kept.writeUInt8(byte, length);
    }
    return kept.subarray(0, length);
  }

  /** Takes bytes. @returns those that are text */
  takeText(bytes: Buffer): Buffer {
    const kept = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      const within = this.#mode !== "text";
      const lead = this.#lead;
      this.#step(byte);
      if (within || this.#mode !== "text" || this.#lead) continue;
      // It began a character after all, and no control.
      if (lead && byte >= 0xa0 && byte <= 0xbf) length = kept.writeUInt8(C1_LEAD, length);
      if (!lead || byte > LAST_C1 || byte < 0x80) length = kept.writeUInt8(byte, length);
      // Up to the next that may be more than text there is nothing to find out.
      let end = at + 1;
      while (end < bytes.length && bytes[end] !== ESCAPE && bytes[end] !== C1_LEAD) end += 1;
      length += bytes.copy(kept, length, at + 1, end);
      this.#at += end - at - 1;
      at = end - 1;
    }
    return kept.subarray(0, length);
  }

  #isString(): boolean {
    return this.#mode === "string" || this.#mode === "title";
  }

  #step(byte: number): void {
    const at = this.#at;
    this.#at += 1;
    const lead = this.#lead;
    this.#lead = byte === C1_LEAD;
    if (this.#lead) return;
    if (lead && byte >= 0x80 && byte <= LAST_C1) this.#control8(byte, at - 1);
    else if (byte === ESCAPE) this.#escape(at);
    else if (byte === CANCEL || byte === SUBSTITUTE) this.#enter("text");
    else this.#other(byte, at);
  }

  #escape(at: number): void {
    this.#escapeAt = at;
    // The end of a string is two bytes, and belongs to it.
    const cutsString = this.#isString();
    if (!cutsString) this.#openAt = at;
    this.#enter("escape");
    this.#cutString = cutsString;
  }

  #control8(byte: number, at: number): void {
    const mode = AFTER_ESCAPE[byte - 0x40] ?? "text";
    if (mode !== "text") this.#openAt = at;
    this.#enter(mode);
  }

  #other(byte: number, at: number): void {
    switch (this.#mode) {
      case "text":
        if (byte === NEWLINE) this.afterBreak = at + 1;
        if (byte === RETURN) this.#returns = [at, this.#returns[0]];
        return;
      case "title":
        if (byte === BELL) this.#enter("text");
        return;
      case "string":
        return;
      case "escape": {
        if (byte < 0x20 || byte === 0x7f) return;
        if (this.#cutString) this.#openAt = this.#escapeAt;
        if (byte < 0x30) this.#enter("intermediate");
        else this.#enter(AFTER_ESCAPE[byte] ?? "text");
        return;
      }
      case "intermediate":
        if (byte >= 0x30 && byte !== 0x7f) this.#enter("text");
        return;
      case "control":
        if (byte >= 0x40 && byte !== 0x7f) this.#enter("text");
    }
  }

  #enter(mode: Mode): void {
    this.#mode = mode;
    this.#cutString = false;
  }
}

/**
 * @returns where what a person could read ends in these bytes: 0 when there is nothing to read in them, undefined when they
 * end within a sequence or a character, which may hide what follows
 */
export function readableEnd(bytes: Buffer): number | undefined {
  const scanner = new EscapeScanner();
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1)
    if (scanner.takeText(bytes.subarray(at, at + 1)).some(isReadable)) end = at + 1;
  return scanner.state === TEXT_STATE ? end : undefined;
}

/** Neither white space nor a control character. */
function isReadable(byte: number): boolean {
  return byte > 0x20 && byte !== 0x7f;
}

function isText(mode: Mode, lead: boolean): boolean {
  return mode === "text" && !lead;
}

/** The state after `bytes`, found by searches as far as they go: they may be part of a flood. */
export function stateAfter(bytes: Buffer, before: EscapeState): EscapeState {
  // An escape begins a sequence whatever was before it.
  const escape = bytes.lastIndexOf(ESCAPE);
  const scanner = new EscapeScanner(escape < 0 ? before : TEXT_STATE);
  let at = Math.max(0, escape);
  if (escape >= 0) at += scanner.take(bytes.subarray(at), true);
  while (at < bytes.length) {
    if (scanner.state === TEXT_STATE) {
      // With no escape left only a control of one character begins a sequence.
      const next = bytes.indexOf(C1_LEAD, at);
      if (next < 0) return TEXT_STATE;
      scanner.take(bytes.subarray(next, next + 2));
      at = Math.min(next + 2, bytes.length);
    } else {
      at += scanner.take(bytes.subarray(at), true);
    }
  }
  return scanner.state;
}
