import { expect, test } from "vitest";
import { LeftBehind } from "./left-behind.ts";

const LEADER = { pid: 4711, startTime: "boot:1" };

/** Of a terminal in which each look finds the next of these; "fails": the system's list cannot be had. */
function leftBehind(looks: readonly (number | "fails")[]) {
  const coming = looks.values();
  const told: string[] = [];
  const problems: string[] = [];
  const left = new LeftBehind({
    processes: {
      leader: LEADER,
      async count() {
        const { value: next = 0 } = coming.next();
        if (next === "fails") throw new Error("too many open files");
        return next;
      },
    },
    clock: { nowMs: () => 0, sleep: () => Promise.resolve() },
    now: () => new Date(0),
    changed: () => void told.push("changed"),
    process: (event) => void told.push(event),
    problem: (text) => void problems.push(text),
  });
  return { left, told, problems };
}

test("three looks in a row that find nothing prove that nothing is left", async () => {
  const { left, told } = leftBehind([0, 0, 0]);
  await left.look();
  expect(left.goneAt).toBeUndefined();
  await left.settle();
  expect(left.goneAt).toEqual(new Date(0));
  expect(told).toEqual(["started", "changed", "ended"]);
});

test("a look that cannot be had proves nothing: it is looked again, now or later", async () => {
  const { left, told, problems } = leftBehind(["fails", 0, "fails", "fails", 0, 0, 0]);
  await left.look();
  await left.settle();
  expect(left.goneAt).toBeUndefined();
  expect(told).toEqual(["started"]);
  expect(problems).toHaveLength(3);
  await left.recount();
  expect(left.goneAt).toEqual(new Date(0));
  expect(told.at(-1)).toBe("ended");
});

test("what lives on is told, and no longer once it has ended by itself", async () => {
  const { left, told } = leftBehind([0, 2, 1]);
  await left.look();
  await left.settle();
  expect(left.count).toBe(2);
  expect(told).toEqual(["started", "changed"]);
  await left.recount();
  expect(left.count).toBe(1);
  expect(told).toEqual(["started", "changed", "changed"]);
  await left.recount();
  expect([left.count, left.goneAt]).toEqual([0, new Date(0)]);
  expect(told).toContain("ended");
});

test("what is found after all takes the proof back", async () => {
  const { left } = leftBehind([0, 0, 0, 1]);
  await left.look();
  await left.settle();
  expect(left.goneAt).toBeDefined();
  await left.recount();
  expect([left.count, left.goneAt]).toEqual([1, undefined]);
});
