import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launch } from "./launch.ts";
import { endLeftovers } from "./leftovers.ts";
import { bootId, readProcess, type ProcessRow } from "./processes.ts";
import { stopChild } from "./stop-ladder.ts";
import { isAlive } from "./testing/alive.ts";
import { poll } from "./testing/poll.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const GONE = { pid: 2 ** 22 + 1, startTime: "another-boot:1" };
let folder: string;
let file: string;
let session: string;
let started: ReturnType<typeof launch>[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-leftovers-"));
  file = join(folder, "reaper.json");
  session = randomUUID();
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((child) => stopChild(child, { times: { afterStdinCloseMs: 0 } })));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function startOne(env: Record<string, string> = {}): Promise<ProcessRow> {
  const child = launch({ command: "cat", args: [], cwd: "/", env: { PATH, ...env } });
  started.push(child);
  child.stdin.write("x");
  // Once cat answers, the environment is cat's.
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return poll("row", () => readProcess(child.pid ?? 0));
}

function keep(change: Record<string, unknown>): void {
  writeFileSync(
    file,
    JSON.stringify({ version: 1, session, owner: GONE, boot: bootId(), processes: [], ...change }),
  );
}

const idOf = ({ pid, startTime }: ProcessRow) => ({ pid, startTime });

describe("endLeftovers", () => {
  it("has nothing to do without a file", async () => {
    expect(await endLeftovers(file)).toStrictEqual({ outcome: "none", ended: [], survivors: [] });
  });

  it("ends what was recorded and what carries that life's marker, and nobody else", async () => {
    const recorded = await startOne();
    const marked = await startOne({ IRONBRIDGE_SESSION: session });
    const other = await startOne({ IRONBRIDGE_SESSION: randomUUID() });
    const reused = await startOne();
    keep({ processes: [idOf(recorded), { ...idOf(reused), startTime: "another-boot:1" }] });
    const report = await endLeftovers(file);
    expect(report).toMatchObject({ outcome: "done", survivors: [] });
    expect(new Set(report.ended)).toStrictEqual(new Set([recorded.pid, marked.pid]));
    expect([recorded, marked, other, reused].map(({ pid }) => isAlive(pid))).toStrictEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(existsSync(file)).toBe(false);
  });

  it("touches nothing while whoever wrote the file still runs", async () => {
    const recorded = await startOne();
    const owner = await startOne();
    keep({ owner: idOf(owner), processes: [idOf(recorded)] });
    expect(await endLeftovers(file)).toMatchObject({ outcome: "owner-alive", ended: [] });
    expect(isAlive(recorded.pid)).toBe(true);
    expect(existsSync(file)).toBe(true);
  });

  it("believes no number from another start of the machine", async () => {
    const recorded = await startOne();
    keep({ boot: "another", processes: [{ ...idOf(recorded), knownAt: Number.MAX_SAFE_INTEGER }] });
    expect(await endLeftovers(file)).toStrictEqual({ outcome: "done", ended: [], survivors: [] });
    expect(isAlive(recorded.pid)).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["not JSON", "{", "not JSON"],
    ["another version", '{"version":2}', "version is not 1"],
    [
      "a record of init",
      JSON.stringify({
        version: 1,
        session: "12345678",
        owner: GONE,
        boot: "",
        processes: [{ pid: 1, startTime: "x" }],
      }),
      "not a process",
    ],
    ["far too long", "x".repeat(5_000_000), "over"],
  ])("removes a file that is %s, and says why", async (_title, content, why) => {
    writeFileSync(file, content);
    const report = await endLeftovers(file);
    expect(report).toMatchObject({ outcome: "unreadable", ended: [], survivors: [] });
    expect(report.why).toContain(why);
    expect(existsSync(file)).toBe(false);
  });

  it("follows no link", async () => {
    const target = join(folder, "target.json");
    const recorded = await startOne();
    keep({ processes: [idOf(recorded)] });
    writeFileSync(target, readFileSync(file));
    rmSync(file);
    symlinkSync(target, file);
    expect(await endLeftovers(file)).toMatchObject({ outcome: "unreadable", why: "not a plain file" });
    expect(isAlive(recorded.pid)).toBe(true);
    expect([existsSync(file), existsSync(target)]).toStrictEqual([false, true]);
  });

  it("reports a folder in the file's place and leaves it", async () => {
    mkdirSync(file);
    expect(await endLeftovers(file)).toMatchObject({ outcome: "unreadable", why: "not a plain file" });
    expect(existsSync(file)).toBe(true);
  });
});
