import { C1_LEAD, ESCAPE } from "./control-bytes.ts";
import { EscapeScanner, TEXT_STATE } from "./escape-scanner.ts";

const RETURN = 0x0d;

/**
 * Looks for a text in output that comes in pieces: as it is printed, and as it is read, without the escape sequences that
 * programs put between words and letters, and with line breaks of one character.
 */
export class TextFinder {
  readonly #wanted: Buffer;
  readonly #hasBreaks: boolean;
  #scanner = new EscapeScanner();
  #printed: Buffer = Buffer.alloc(0);
  #read: Buffer = Buffer.alloc(0);

  constructor(wanted: string) {
    this.#wanted = Buffer.from(wanted, "utf8");
    this.#hasBreaks = wanted.includes("\n");
  }

  /** What comes next does not follow what was before. */
  forget(): void {
    this.#scanner = new EscapeScanner();
    this.#printed = Buffer.alloc(0);
    this.#read = Buffer.alloc(0);
  }

  findsIn(bytes: Buffer): boolean {
    const printed = Buffer.concat([this.#printed, bytes]);
    if (printed.includes(this.#wanted)) return true;
    const read = Buffer.concat([this.#read, this.#asRead(bytes)]);
    this.#printed = this.#tail(printed);
    this.#read = this.#tail(read);
    return read.includes(this.#wanted);
  }

  #asRead(bytes: Buffer): Buffer {
    const plain = this.#scanner.state === TEXT_STATE && !bytes.includes(ESCAPE) && !bytes.includes(C1_LEAD);
    const text = plain ? bytes : this.#scanner.takeText(bytes);
    return this.#hasBreaks ? withoutReturns(text) : text;
  }

  /** Less than what is looked for: what was found is not found again. */
  #tail(bytes: Buffer): Buffer {
    const length = Math.min(bytes.length, this.#wanted.length - 1);
    return Buffer.from(bytes.subarray(bytes.length - length));
  }
}

/** As characters, which is many times faster than byte by byte. */
function withoutReturns(bytes: Buffer): Buffer {
  return bytes.includes(RETURN)
    ? Buffer.from(bytes.toString("latin1").replaceAll("\r", ""), "latin1")
    : bytes;
}
