import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlockPool, LOG_BLOCK_BYTES } from "./block-pool.ts";
import { OutputLog } from "./output-log.ts";
import { DiskBudget, SpillFile } from "./spill-file.ts";

const BLOCK = LOG_BLOCK_BYTES;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spill-"));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Bytes whose value tells their offset. */
function bytesFrom(offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index += 1)
    bytes[index] = ((offset + index) * 31 + ((offset + index) >> 8)) & 0xff;
  return bytes;
}

function spilling(
  options: { memory?: number; disk?: number; budget?: DiskBudget; pool?: BlockPool; name?: string } = {},
) {
  const { memory = 2, disk = 4, name = "term_a.log", pool } = options;
  const problems: unknown[] = [];
  const file = join(folder, name);
  const spill = new SpillFile({
    file,
    limitBytes: disk * BLOCK,
    disk: options.budget ?? new DiskBudget(1_000 * BLOCK),
    onBroken: (error) => void problems.push(error),
  });
  const log = new OutputLog({ memoryBytes: memory * BLOCK, spill, ...(pool === undefined ? {} : { pool }) });
  const print = (length: number) => {
    for (let done = 0; done < length; done += 50_000)
      log.append(bytesFrom(log.end, Math.min(50_000, length - done)));
  };
  const readsRight = (from: number, length: number) => {
    const read = log.read(from, length);
    return read.dropped === 0 && read.bytes.equals(bytesFrom(from, length));
  };
  return { log, file, problems, print, readsRight };
}

describe("older output on disk", () => {
  it("is read as if it were in memory, at the same offsets, across the border between both", () => {
    const { log, print, readsRight } = spilling();
    print(5 * BLOCK + 100);
    expect(log.start).toBe(0);
    for (const from of [0, 1, BLOCK - 1, 2 * BLOCK + 7, 3 * BLOCK - 10])
      expect(readsRight(from, 2 * BLOCK)).toBe(true);
    expect(readsRight(0, 5 * BLOCK + 100)).toBe(true);
  });

  it("is in a file that only its owner can read, and that goes with the log", () => {
    const { log, file, print } = spilling();
    print(2 * BLOCK);
    expect(existsSync(file)).toBe(false);
    print(3 * BLOCK);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    log.dispose();
    expect(existsSync(file)).toBe(false);
    expect(log.read(log.end, 10).bytes).toHaveLength(0);
    log.append(Buffer.from("late"));
  });

  it("is evicted above its limit, oldest first, and the file stays as long as the limit", () => {
    const { log, file, print, readsRight } = spilling();
    print(20 * BLOCK + 5);
    expect(log.start).toBe(15 * BLOCK);
    expect(log.read(0, 10).dropped).toBe(15 * BLOCK);
    expect(readsRight(15 * BLOCK, 5 * BLOCK + 5)).toBe(true);
    expect(statSync(file).size).toBe(4 * BLOCK);
  });

  it("of all logs together stays within one limit, and what one gives back another may use", () => {
    const budget = new DiskBudget(3 * BLOCK);
    const first = spilling({ budget, name: "a" });
    const second = spilling({ budget, name: "b" });
    first.print(5 * BLOCK);
    second.print(5 * BLOCK);
    expect([first.log.start, second.log.start]).toEqual([0, 3 * BLOCK]);
    first.log.dispose();
    second.print(2 * BLOCK);
    expect(second.log.start).toBe(3 * BLOCK);
    expect(second.readsRight(3 * BLOCK, 4 * BLOCK)).toBe(true);
  });

  it("[B1] is text or not by what was before it, also where that is gone", () => {
    const { log } = spilling({ memory: 2, disk: 2 });
    log.append(Buffer.from("\u001b]0;"));
    log.append(Buffer.alloc(5 * BLOCK, "t"));
    expect(log.start).toBe(2 * BLOCK);
    expect(log.textFrom(log.start)).toBeUndefined();
    const end = log.end;
    log.append(Buffer.from("\u0007after"));
    for (const offset of [log.start, 3 * BLOCK + 1, end]) expect(log.textFrom(offset)).toBe(end + 1);
    expect(log.textFrom(end + 3)).toBe(end + 3);
  });

  it("is kept also when its folder was removed before it began", () => {
    const { log, file, print, readsRight } = spilling({ name: "gone/early" });
    expect(() => statSync(dirname(file))).toThrow("ENOENT");
    print(6 * BLOCK);
    expect(readsRight(0, 6 * BLOCK)).toBe(true);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    log.dispose();
  });

  it.each([
    ["a link", (at: string) => symlinkSync(folder, at)],
    ["a file", (at: string) => writeFileSync(at, "")],
  ])("is evicted when %s has the name of its folder, and nothing is written there", (_, take) => {
    const { log, file, problems, print, readsRight } = spilling({ name: "gone/early" });
    take(dirname(file));
    print(6 * BLOCK);
    expect(log.start).toBe(4 * BLOCK);
    expect(readsRight(4 * BLOCK, 2 * BLOCK)).toBe(true);
    expect(String(problems)).toContain("not a folder of ours");
    expect(problems).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(["gone"]);
  });

  it.skipIf(process.getuid?.() !== 0)("is evicted when its folder is somebody else's", () => {
    const { log, file, problems, print } = spilling({ name: "gone/early" });
    mkdirSync(dirname(file));
    chownSync(dirname(file), 65_534, 65_534);
    print(6 * BLOCK);
    expect(log.start).toBe(4 * BLOCK);
    expect(problems).toHaveLength(1);
    expect(existsSync(file)).toBe(false);
  });

  it.skipIf(process.platform !== "linux")(
    "that a full disk did not take leaves its room to other logs",
    () => {
      const disk = new DiskBudget(2 * BLOCK);
      const problems: unknown[] = [];
      const file = join(folder, "term_full.log");
      const onBroken = (error: unknown) => void problems.push(error);
      const spill = new SpillFile({ file, limitBytes: 4 * BLOCK, disk, onBroken });
      spill.push(bytesFrom(0, BLOCK));
      const [descriptor = 0] = readdirSync("/proc/self/fd")
        .map(Number)
        .filter((fd) => existsSync(`/proc/self/fd/${fd}`) && readlinkSync(`/proc/self/fd/${fd}`) === file);
      closeSync(descriptor);
      expect(openSync("/dev/full", "r+")).toBe(descriptor);
      spill.push(bytesFrom(BLOCK, BLOCK));
      expect(String(problems)).toContain("ENOSPC");
      const { log, print } = spilling({ budget: disk });
      print(4 * BLOCK);
      expect(log.start).toBe(0);
    },
  );

  it("that the disk lost counts as evicted; the log goes on in memory, and says so once", () => {
    const { log, file, problems, print, readsRight } = spilling();
    print(6 * BLOCK);
    truncateSync(file, 0);
    const read = log.read(0, 10);
    expect(read.dropped).toBe(4 * BLOCK);
    expect(read.bytes.equals(bytesFrom(4 * BLOCK, 10))).toBe(true);
    print(6 * BLOCK);
    expect(readsRight(log.start, log.end - log.start)).toBe(true);
    expect(problems).toHaveLength(1);
  });
});

describe("the memory of all logs", () => {
  it("is shared: when it is full the largest log gives, to disk, and nothing is lost", () => {
    const pool = new BlockPool(8 * BLOCK);
    const large = spilling({ memory: 8, disk: 20, pool, name: "large" });
    large.print(8 * BLOCK);
    const small = spilling({ memory: 8, disk: 20, pool, name: "small" });
    small.print(3 * BLOCK);
    expect(pool.usedBytes).toBe(8 * BLOCK);
    expect([large.log.blocks, small.log.blocks]).toEqual([5, 3]);
    expect(large.readsRight(0, 8 * BLOCK)).toBe(true);
    expect(small.readsRight(0, 3 * BLOCK)).toBe(true);
    large.log.dispose();
    expect(pool.usedBytes).toBe(3 * BLOCK);
  });
});
