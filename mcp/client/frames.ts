/** Splits a byte stream into lines without ever holding more than `maxBytes` of an unfinished one. */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that `chunk` finishes, without their newline. @throws RangeError when a line is over the limit */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let at = 0;
    for (;;) {
      const newline = chunk.indexOf(0x0a, at);
      const end = newline < 0 ? chunk.length : newline;
      if (this.#bytes + (end - at) > this.#maxBytes)
        throw new RangeError(`a message is longer than ${this.#maxBytes} bytes`);
      if (end > at) {
        this.#parts.push(chunk.subarray(at, end));
        this.#bytes += end - at;
      }
      if (newline < 0) return lines;
      lines.push(Buffer.concat(this.#parts, this.#bytes));
      this.clear();
      at = newline + 1;
    }
  }

  clear(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}

/** Keeps the last `maxBytes` of a byte stream. */
export class TailBuffer {
  readonly #maxBytes: number;
  #tail: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    const kept = chunk.length >= this.#maxBytes ? chunk : Buffer.concat([this.#tail, chunk]);
    this.#tail = Buffer.from(kept.subarray(-this.#maxBytes));
  }

  /** As text; a character cut in half at the start is left out. */
  text(): string {
    let start = 0;
    while (start < 3 && ((this.#tail[start] ?? 0) & 0xc0) === 0x80) start += 1;
    return this.#tail.subarray(start).toString("utf8");
  }
}
