import { describe, expect, it } from "vitest";
import { ownProcesses, renewClaims, type Claim, type Ownership } from "./ownership.ts";
import type { ProcessRow } from "./processes.ts";

/** A process by pid; by default a member of session and group 1000, started at its pid. */
function row(pid: number, change: Partial<ProcessRow> = {}): ProcessRow {
  const startOrder = change.startOrder ?? pid;
  return {
    pid,
    parent: 1,
    group: 1_000,
    session: 1_000,
    startTime: `b:${startOrder}`,
    startOrder,
    zombie: false,
    ...change,
  };
}
const leader = (pid: number, change: Partial<ProcessRow> = {}) =>
  row(pid, { group: pid, session: pid, ...change });
const claim = (pid: number, knownAt?: number): Claim => ({
  pid,
  startTime: `b:${pid}`,
  ...(knownAt === undefined ? {} : { knownAt }),
});

function own(rows: ProcessRow[], by: { claims?: Claim[]; marked?: number[]; exclude?: number[] }): number[] {
  const ownership: Ownership = {
    claims: by.claims ?? [],
    marked: new Set(by.marked),
    exclude: new Set(by.exclude),
  };
  return ownProcesses(rows, ownership).map(({ pid }) => pid);
}

describe("ours are", () => {
  it("a recorded process, its session and its group", () => {
    const rows = [
      leader(50),
      row(51, { session: 50, group: 51 }),
      row(52, { session: 1_000, group: 50 }),
      row(53),
    ];
    expect(own(rows, { claims: [claim(50)] })).toStrictEqual([50, 51, 52]);
  });

  it("a recorded process that leads nothing, but not its group", () => {
    expect(own([leader(1_000), row(1_001), row(1_002)], { claims: [claim(1_001)] })).toStrictEqual([1_001]);
  });

  it("processes that carry the marker, in whatever session", () => {
    expect(own([row(50), leader(60), row(70)], { marked: [60, 70] })).toStrictEqual([60, 70]);
  });

  it("descendants of ours, through processes that have left session and group", () => {
    const rows = [
      leader(50),
      leader(60, { parent: 50 }),
      leader(70, { parent: 60 }),
      row(80, { parent: 70 }),
      row(90),
    ];
    expect(own(rows, { claims: [claim(50)] })).toStrictEqual([50, 60, 70, 80]);
  });

  it("members of a session whose leader is a zombie, but not the zombie", () => {
    const rows = [leader(50, { zombie: true }), row(60, { session: 50 })];
    expect(own(rows, { claims: [claim(50)] })).toStrictEqual([60]);
  });

  it("members of a session whose leader has gone, when one of them was there while it was known", () => {
    const rows = [row(60, { session: 50 }), row(90, { session: 50 })];
    expect(own(rows, { claims: [claim(50, 60)] })).toStrictEqual([60, 90]);
  });

  it("members of a group whose leader has gone, where sessions are not told", () => {
    const rows = [row(60, { session: 0, group: 50 }), row(61, { session: 0, group: 51 })];
    expect(own(rows, { claims: [claim(50, 60)] })).toStrictEqual([60]);
  });
});

describe("not ours is", () => {
  it("a process that got the number of a recorded one, and its session", () => {
    const rows = [leader(50, { startOrder: 80, startTime: "b:80" }), row(90, { session: 50 })];
    expect(own(rows, { claims: [claim(50, 70)] })).toStrictEqual([]);
  });

  it("a process with the same start in another life of the machine", () => {
    expect(own([leader(50, { startTime: "other:50" })], { claims: [claim(50)] })).toStrictEqual([]);
  });

  it("a session whose leader has gone, when all its members came after it was last known", () => {
    expect(own([row(61, { session: 50 })], { claims: [claim(50, 60)] })).toStrictEqual([]);
    expect(own([row(61, { session: 50 })], { claims: [claim(50)] })).toStrictEqual([]);
  });

  it("an old process in a group that carries the number of a leader that has gone", () => {
    expect(own([row(40, { session: 1_000, group: 50 })], { claims: [claim(50, 60)] })).toStrictEqual([]);
  });

  it("an older process whose parent's number now means one of ours", () => {
    const rows = [leader(50), row(40, { parent: 50 })];
    expect(own(rows, { claims: [claim(50)] })).toStrictEqual([50]);
  });

  it("whoever is excluded, and what it has started", () => {
    const rows = [leader(50), leader(60, { parent: 50 }), leader(70, { parent: 60 })];
    expect(own(rows, { claims: [claim(50)], marked: [60], exclude: [60] })).toStrictEqual([50]);
  });

  it("init, whatever it carries and whatever it adopted", () => {
    expect(own([leader(1, { parent: 0 }), row(50)], { marked: [1], claims: [claim(1)] })).toStrictEqual([]);
  });
});

describe("renewClaims", () => {
  it("keeps what still means something and marks the moment", () => {
    const rows = [leader(50), row(60, { session: 40 }), leader(30, { startTime: "b:99" })];
    const claims = [claim(50, 55), claim(40, 61), claim(30, 35), claim(20, 25)];
    expect(renewClaims(rows, claims, 100)).toStrictEqual([claim(50, 100), claim(40, 100)]);
  });
});
