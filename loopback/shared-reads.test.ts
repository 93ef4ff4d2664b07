import { expect, it } from "vitest";
import type { ProcessRow } from "./processes.ts";
import { sharedReads } from "./shared-reads.ts";

const row = (pid: number): ProcessRow => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  startTime: `boot:${pid}`,
  startOrder: pid,
  zombie: false,
});

function counted() {
  const seen = { lists: 0, environs: 0 };
  const reads = sharedReads({
    list: async () => {
      seen.lists += 1;
      return [row(seen.lists)];
    },
    environ: (pid) => {
      seen.environs += 1;
      return `\0PID=${pid}\0A=b\0`;
    },
    marks: () => undefined,
  });
  return { seen, reads };
}

it("reads the processes once for all who ask in one turn, and after they have asked", async () => {
  const { seen, reads } = counted();
  const first = reads.list();
  expect(seen.lists).toBe(0);
  expect(await Promise.all([first, reads.list(), reads.list()])).toEqual([[row(1)], [row(1)], [row(1)]]);
  expect(await reads.list()).toEqual([row(2)]);
});

it("asks anew after a list that could not be had", async () => {
  let works = false;
  const reads = sharedReads({
    list: () => (works ? Promise.resolve([row(7)]) : Promise.reject(new Error("no list"))),
    environ: () => "",
    marks: () => undefined,
  });
  await expect(reads.list()).rejects.toThrow("no list");
  works = true;
  expect(await reads.list()).toEqual([row(7)]);
});

it("reads an environment once in a turn, whoever looks for whatever in it, and anew in the next", async () => {
  const { seen, reads } = counted();
  await reads.list();
  expect([reads.carries(5, "A=b"), reads.carries(5, "PID=5"), reads.carries(5, "PID")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(seen.environs).toBe(1);
  await new Promise((turn) => setImmediate(turn));
  await new Promise((turn) => setImmediate(turn));
  reads.carries(5, "A=b");
  expect(seen.environs).toBe(2);
});
