/** Bytes of one block. Output arrives in pieces of 1 byte to 64 KiB; fixed blocks cost the same for all of them. */
export const LOG_BLOCK_BYTES = 65_536;

/** A log that holds blocks of a pool. */
export interface BlockHolder {
  readonly blocks: number;
  /** Gives its oldest block away; asked only while it has more than one. */
  giveOldest(): Buffer;
}

/**
 * The memory of all logs. While there is room a log gets new blocks; after that, the log that holds the most gives its
 * oldest, so one that has just begun is not starved by those that are full.
 */
export class BlockPool {
  readonly #maxBlocks: number;
  readonly #holders = new Set<BlockHolder>();
  #used = 0;

  /** @throws RangeError when that is less than a few blocks */
  constructor(limitBytes: number) {
    this.#maxBlocks = Math.floor(limitBytes / LOG_BLOCK_BYTES);
    if (!(this.#maxBlocks >= 1)) throw new RangeError(`the pool needs at least one block: ${limitBytes}`);
  }

  get usedBytes(): number {
    return this.#used * LOG_BLOCK_BYTES;
  }

  /** A block for `holder`; its old content is still in it. */
  take(holder: BlockHolder): Buffer {
    this.#holders.add(holder);
    if (this.#used >= this.#maxBlocks) {
      let largest: BlockHolder | undefined;
      for (const other of this.#holders)
        if (other.blocks > 1 && other.blocks > (largest?.blocks ?? 0)) largest = other;
      // More logs than blocks: each keeps the block that it is filling, whatever the limit says.
      if (largest !== undefined) return largest.giveOldest();
    }
    this.#used += 1;
    return Buffer.allocUnsafeSlow(LOG_BLOCK_BYTES);
  }

  /** The holder has let go of all its blocks. */
  release(holder: BlockHolder, blocks: number): void {
    if (this.#holders.delete(holder)) this.#used -= blocks;
  }
}
