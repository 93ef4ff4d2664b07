import { TERMINAL_LIMITS } from "./contract/api.ts";
import { brokenStart, wholeCharacters } from "./utf8.ts";

/** Bytes of one block. Output arrives in pieces of 1 byte to 64 KiB; fixed blocks cost the same for all of them. */
export const LOG_BLOCK_BYTES = 65_536;

/** Bytes from the log, with the offset at which they begin and the number of bytes that were evicted before it. */
export interface LogRead {
  bytes: Buffer;
  offset: number;
  dropped: number;
}

/** Text from the log. Offsets are bytes; `more` says whether another read would give something now. */
export interface TextRead {
  text: string;
  offset: number;
  next: number;
  dropped: number;
  more: boolean;
}

/**
 * What a terminal has printed: raw bytes at absolute offsets that never move. Bounded: when a new block is needed and there
 * is no room, the oldest block goes, so at least the limit less one block is kept.
 */
export class OutputLog {
  readonly #maxBlocks: number;
  /** Each full but the last; the first begins at `#start`, a multiple of the block size. */
  readonly #blocks: Buffer[] = [];
  #start = 0;
  #end = 0;

  /** @throws RangeError when the limit is not a positive multiple of the block size */
  constructor(limitBytes: number = TERMINAL_LIMITS.logMemoryBytes) {
    if (!Number.isSafeInteger(limitBytes) || limitBytes <= 0 || limitBytes % LOG_BLOCK_BYTES !== 0)
      throw new RangeError(
        `log limit must be a positive multiple of ${LOG_BLOCK_BYTES} bytes: ${limitBytes}`,
      );
    this.#maxBlocks = limitBytes / LOG_BLOCK_BYTES;
  }

  /** Offset of the oldest byte still kept. */
  get start(): number {
    return this.#start;
  }

  /** Offset after the newest byte: the number of bytes ever printed. */
  get end(): number {
    return this.#end;
  }

  /** Copies the bytes, so that the caller may use its buffer again. */
  append(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const at = this.#end % LOG_BLOCK_BYTES;
      const block = at === 0 ? this.#addBlock() : this.#blocks.at(-1);
      if (block === undefined) throw new Error("output log: the block being filled is missing");
      const part = bytes.subarray(from, from + LOG_BLOCK_BYTES - at);
      block.set(part, at);
      from += part.length;
      this.#end += part.length;
    }
  }

  /**
   * Up to `limitBytes` from an offset, or from the oldest kept byte when that one is gone.
   * @throws RangeError when the offset is past the end
   */
  read(offset: number, limitBytes: number): LogRead {
    if (offset > this.#end)
      throw new RangeError(`offset ${offset} is past the end of the output (${this.#end})`);
    const first = Math.max(offset, this.#start);
    const bytes = Buffer.allocUnsafe(Math.min(limitBytes, this.#end - first));
    let filled = 0;
    while (filled < bytes.length) {
      const at = first + filled - this.#start;
      const block = this.#blocks[Math.floor(at / LOG_BLOCK_BYTES)];
      if (block === undefined) throw new Error("output log: a kept block is missing");
      filled += block.copy(bytes, filled, at % LOG_BLOCK_BYTES);
    }
    return { bytes, offset: first, dropped: first - offset };
  }

  /** A full log uses its oldest block again: under a flood nothing is allocated. */
  #addBlock(): Buffer {
    const evicted = this.#blocks.length >= this.#maxBlocks ? this.#blocks.shift() : undefined;
    if (evicted !== undefined) this.#start += LOG_BLOCK_BYTES;
    const block = evicted ?? Buffer.allocUnsafeSlow(LOG_BLOCK_BYTES);
    this.#blocks.push(block);
    return block;
  }
}

/**
 * Up to `limitBytes` (at least 4) of output as text. While more can come (`final` is false) it does not end in half a
 * character; when the beginning was evicted it does not begin in half a one. What is not UTF-8 becomes U+FFFD.
 * @throws RangeError when the offset is past the end
 */
export function readText(log: OutputLog, offset: number, limitBytes: number, final: boolean): TextRead {
  const read = log.read(offset, limitBytes);
  const skipped = read.dropped > 0 ? brokenStart(read.bytes) : 0;
  const bytes = read.bytes.subarray(skipped);
  const atEnd = read.offset + read.bytes.length === log.end;
  const whole = atEnd && final ? bytes.length : wholeCharacters(bytes);
  const begin = read.offset + skipped;
  const next = begin + whole;
  return {
    text: bytes.toString("utf8", 0, whole),
    offset: begin,
    next,
    dropped: read.dropped + skipped,
    more: !atEnd,
  };
}
