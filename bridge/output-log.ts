import { BlockPool, LOG_BLOCK_BYTES, type BlockHolder } from "./block-pool.ts";
import { TERMINAL_LIMITS } from "./contract/api.ts";
import { EscapeScanner, stateAfter, TEXT_STATE, type EscapeState } from "./escape-scanner.ts";
import type { SpillFile } from "./spill-file.ts";
import { borderOf, modesAfterNext, NEW_TERMINAL, NO_BORDER, type Modes } from "./terminal-modes.ts";
import { brokenStart, restOfCharacter, UTF8_MAX_BYTES, wholeCharacters } from "./utf8.ts";

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

/** Whoever asks for output names a place where none has been printed yet. */
export class PastTheEnd extends RangeError {
  override readonly name = "PastTheEnd";
  constructor(offset: number, end: number) {
    super(`offset ${offset} is past the end of the output (${end})`);
  }
}

/** What was before a block, and still goes on or holds in it. */
interface Before {
  escape: EscapeState;
  modes: Modes;
  /** See `borderOf`. */
  tail: Buffer;
}

const NOTHING_BEFORE: Before = { escape: TEXT_STATE, modes: NEW_TERMINAL, tail: NO_BORDER };

export interface OutputLogOptions {
  /** What this log keeps in memory at most: a positive multiple of the block size. */
  memoryBytes?: number;
  /** Shared with other logs; default: a pool of its own. */
  pool?: BlockPool;
  /** Where older blocks go; without it they are evicted. It goes with the log. */
  spill?: SpillFile;
}

/**
 * What a terminal has printed: raw bytes at absolute offsets that never move. Bounded: when a new block is needed and there
 * is no room in memory, the oldest block goes to the spill file, and when that is full, the oldest of all goes.
 */
export class OutputLog implements BlockHolder {
  readonly #maxBlocks: number;
  readonly #pool: BlockPool;
  readonly #spill: SpillFile | undefined;
  /** Each full but the last; the first begins at `#memoryStart`, a multiple of the block size. */
  readonly #blocks: Buffer[] = [];
  /** What was before each kept block, the newest last: older output is gone, and what it began may still go on. */
  readonly #states: Before[] = [];
  #memoryStart = 0;
  #end = 0;
  #disposed = false;

  /** @throws RangeError when the limit is not a positive multiple of the block size */
  constructor(options: OutputLogOptions = {}) {
    const { memoryBytes = TERMINAL_LIMITS.logMemoryBytes } = options;
    if (!Number.isSafeInteger(memoryBytes) || memoryBytes <= 0 || memoryBytes % LOG_BLOCK_BYTES !== 0)
      throw new RangeError(
        `log limit must be a positive multiple of ${LOG_BLOCK_BYTES} bytes: ${memoryBytes}`,
      );
    this.#maxBlocks = memoryBytes / LOG_BLOCK_BYTES;
    this.#pool = options.pool ?? new BlockPool(memoryBytes);
    this.#spill = options.spill;
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  /** Offset of the oldest byte still kept, on disk or in memory. */
  get start(): number {
    return this.#memoryStart - (this.#spill?.blocks ?? 0) * LOG_BLOCK_BYTES;
  }

  /** Offset after the newest byte: the number of bytes ever printed. */
  get end(): number {
    return this.#end;
  }

  /** Copies the bytes, so that the caller may use its buffer again. */
  append(bytes: Uint8Array): void {
    if (this.#disposed) return; // of a process that outlived its tab
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
   * @throws PastTheEnd
   */
  read(offset: number, limitBytes: number): LogRead {
    if (offset > this.#end) throw new PastTheEnd(offset, this.#end);
    for (;;) {
      const first = Math.max(offset, this.start);
      const bytes = Buffer.allocUnsafe(Math.min(limitBytes, this.#end - first));
      if (this.#copy(first, bytes)) return { bytes, offset: first, dropped: first - offset };
      // The spill file broke and is empty now: the oldest kept byte is another.
    }
  }

  /**
   * Where text begins at an offset or after it: past the rest of an escape sequence that began before it, evicted or not.
   * Undefined when that sequence has not ended.
   * @throws RangeError when the offset is not one of a kept byte, or the end
   */
  textFrom(offset: number): number | undefined {
    const scanner = new EscapeScanner(this.escapeAt(offset));
    let at = offset;
    while (scanner.state !== TEXT_STATE) {
      if (at === this.#end) return undefined;
      const { bytes, offset: first } = this.read(at, LOG_BLOCK_BYTES);
      // It was evicted while it was read: the disk is broken. What is left begins somewhere else.
      if (first !== at) return this.textFrom(first);
      at += scanner.take(bytes, true);
    }
    return at;
  }

  /**
   * Whether an offset is within an escape sequence that began before it, evicted or not, and within which.
   * @throws RangeError when the offset is not one of a kept byte, or the end
   */
  escapeAt(offset: number): EscapeState {
    return this.#stateAt(offset).escape;
  }

  /** Its tab is closed: there is nothing to read any more, and never will be. */
  get disposed(): boolean {
    return this.#disposed;
  }

  /**
   * What the terminal was told before an offset, or before the oldest byte still kept, and still heeds, evicted or not.
   * @throws RangeError when the offset is past the end
   */
  modesAt(offset: number): Modes {
    return this.#stateAt(Math.max(offset, this.start)).modes;
  }

  giveOldest(): Buffer {
    const block = this.#blocks.shift();
    if (block === undefined) throw new Error("output log: there is no block to give");
    this.#spill?.push(block);
    this.#memoryStart += LOG_BLOCK_BYTES;
    return block;
  }

  /** Gives its memory back and removes its file. Nothing can be read any more. */
  dispose(): void {
    this.#disposed = true;
    this.#pool.release(this, this.#blocks.length);
    this.#spill?.dispose();
    this.#blocks.length = 0;
    this.#states.length = 0;
    this.#memoryStart = this.#end;
  }

  /** What was before the byte at an offset. */
  #stateAt(offset: number): Before {
    if (offset < this.start || offset > this.#end)
      throw new RangeError(
        `offset ${offset} is not in the output that is kept (${this.start} to ${this.#end})`,
      );
    const at = offset % LOG_BLOCK_BYTES;
    const newest = Math.ceil(this.#end / LOG_BLOCK_BYTES) - 1;
    const block = Math.floor(offset / LOG_BLOCK_BYTES);
    // At the very end of a full block: what comes next has no block yet.
    const before = block > newest ? block - 1 : block;
    const state = this.#states[this.#states.length - 1 - (newest - before)] ?? NOTHING_BEFORE;
    const length = before === block ? at : LOG_BLOCK_BYTES;
    return length === 0 ? state : stateAfterBlock(this.read(before * LOG_BLOCK_BYTES, length).bytes, state);
  }

  #copy(from: number, to: Buffer): boolean {
    for (let filled = 0; filled < to.length;) {
      const offset = from + filled;
      const at = offset % LOG_BLOCK_BYTES;
      const length = Math.min(LOG_BLOCK_BYTES - at, to.length - filled);
      if (offset < this.#memoryStart) {
        const index = Math.floor((offset - this.start) / LOG_BLOCK_BYTES);
        const part = to.subarray(filled, filled + length);
        if (this.#spill?.read(index, at, part) !== true) return false;
      } else {
        const block = this.#blocks[Math.floor((offset - this.#memoryStart) / LOG_BLOCK_BYTES)];
        if (block === undefined) throw new Error("output log: a kept block is missing");
        block.copy(to, filled, at, at + length);
      }
      filled += length;
    }
    return true;
  }

  /** A full log uses its oldest block again: under a flood nothing is allocated. */
  #addBlock(): Buffer {
    this.#noteState();
    const block = this.#blocks.length >= this.#maxBlocks ? this.giveOldest() : this.#pool.take(this);
    this.#blocks.push(block);
    return block;
  }

  /** A block is full and the next one begins: a full log is about to give blocks away. */
  #noteState(): void {
    const last = this.#blocks.at(-1);
    const before = this.#states.at(-1);
    const known = last !== undefined && before !== undefined;
    this.#states.push(known ? stateAfterBlock(last, before) : NOTHING_BEFORE);
    const kept = Math.ceil((this.#end - this.start) / LOG_BLOCK_BYTES) + 1;
    this.#states.splice(0, this.#states.length - kept);
  }
}

function stateAfterBlock(block: Buffer, { escape, modes, tail }: Before): Before {
  return {
    escape: stateAfter(block, escape),
    modes: modesAfterNext(tail, block, modes),
    tail: borderOf(block),
  };
}

/**
 * Up to `limitBytes` (at least 4) of output as text. While more can come (`final` is false) it does not end in half a
 * character; it does not begin in half a one. What is not UTF-8 becomes U+FFFD.
 * @throws PastTheEnd
 */
export function readText(log: OutputLog, offset: number, limitBytes: number, final: boolean): TextRead {
  const read = log.read(offset, limitBytes);
  const skipped = read.dropped > 0 ? brokenStart(read.bytes) : restAt(log, read);
  const bytes = read.bytes.subarray(skipped);
  const atEnd = read.offset + read.bytes.length === log.end;
  const whole = atEnd && final ? bytes.length : wholeCharacters(bytes);
  const begin = read.offset + skipped;
  const next = begin + whole;
  return {
    text: bytes.toString("utf8", 0, whole),
    offset: begin,
    next,
    dropped: read.dropped === 0 ? 0 : read.dropped + skipped,
    more: !atEnd,
  };
}

/** How many bytes from there on belong to a character that begins before it: whoever asks may know no better. */
function restAt(log: OutputLog, { bytes, offset }: LogRead): number {
  if (brokenStart(bytes) === 0) return 0;
  const from = Math.max(log.start, offset - (UTF8_MAX_BYTES - 1));
  const around = log.read(from, offset - from + UTF8_MAX_BYTES - 1);
  return around.offset === from ? restOfCharacter(around.bytes, offset - from) : 0;
}

/**
 * Where whoever begins at `offset` should: the rest of a character, or of a sequence, whose beginning they never get would be
 * shown as text.
 */
export function textStart(log: OutputLog, offset: number): number {
  const whole = offset + brokenStart(log.read(offset, UTF8_MAX_BYTES).bytes);
  return log.textFrom(whole) ?? whole;
}
