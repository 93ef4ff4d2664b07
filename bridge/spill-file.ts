import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { LOG_BLOCK_BYTES } from "./block-pool.ts";
import { makeOwnFolder } from "./own-folder.ts";

/** Room on disk that all logs share, in blocks. */
export class DiskBudget {
  #left: number;

  constructor(limitBytes: number) {
    this.#left = Math.floor(limitBytes / LOG_BLOCK_BYTES);
  }

  take(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= 1;
    return true;
  }

  give(blocks: number): void {
    this.#left += blocks;
  }
}

export interface SpillOptions {
  /** Absolute path in a private folder. It is made with mode 0600 when the first block comes, and must not exist. */
  file: string;
  limitBytes: number;
  disk: DiskBudget;
  /**
   * Told once when the disk does not take or give any more, or somebody else has taken the folder's name; what was spilled
   * counts as evicted then.
   */
  onBroken: (error: unknown) => void;
}

/**
 * Whole blocks of a log that memory has no room for, the newest up to a limit; an older one makes room for a newer one.
 * Written and read synchronously: it is the page cache that answers, and nothing may come between two reads of a log.
 */
export class SpillFile {
  readonly #options: SpillOptions;
  readonly #maxBlocks: number;
  /** Places in the file, in blocks, of the blocks that are kept, oldest first. */
  readonly #places: number[] = [];
  #fd: number | undefined;
  #broken = false;

  constructor(options: SpillOptions) {
    this.#options = options;
    this.#maxBlocks = Math.floor(options.limitBytes / LOG_BLOCK_BYTES);
  }

  get blocks(): number {
    return this.#places.length;
  }

  /** Adds the newest block. Afterwards `blocks` tells how many are kept. */
  push(block: Uint8Array): void {
    if (this.#broken) return;
    try {
      this.#fd ??= openNew(this.#options.file);
      const place = this.#freePlace();
      if (place === undefined) return;
      // Before it is written: where that fails, its room is given back with that of the others.
      this.#places.push(place);
      writeAll(this.#fd, block, place * LOG_BLOCK_BYTES);
    } catch (error) {
      this.#break(error);
    }
  }

  /** Copies from the block `index`, counted from the oldest one kept, to the start of `to`. False when it cannot be had. */
  read(index: number, at: number, to: Uint8Array): boolean {
    const place = this.#places[index];
    if (place === undefined || this.#fd === undefined) return false;
    try {
      for (let done = 0; done < to.length;) {
        const got = readSync(this.#fd, to, done, to.length - done, place * LOG_BLOCK_BYTES + at + done);
        if (got === 0) throw new Error("the spill file is shorter than what was written to it");
        done += got;
      }
      return true;
    } catch (error) {
      this.#break(error);
      return false;
    }
  }

  /** Removes the file. */
  dispose(): void {
    this.#broken = true;
    this.#options.disk.give(this.#places.length);
    this.#places.length = 0;
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    rmSync(this.#options.file, { force: true });
  }

  #freePlace(): number | undefined {
    const { length } = this.#places;
    if (length < this.#maxBlocks && this.#options.disk.take()) return length;
    return this.#places.shift();
  }

  #break(error: unknown): void {
    this.dispose();
    this.#options.onBroken(error);
  }
}

function openNew(file: string): number {
  makeOwnFolder(dirname(file));
  return openSync(file, "wx+", 0o600);
}

function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}
