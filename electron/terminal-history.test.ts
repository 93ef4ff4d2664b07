import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TerminalSession } from "../bridge/contract/api.ts";
import { openTerminalHistory } from "./terminal-history.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "history-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const path = () => join(folder, "terminals.json");
const now = () => new Date("2026-11-30T10:00:00Z");
const session = (more: Partial<TerminalSession> = {}): TerminalSession => ({
  session_id: "term_aaaaaaaa",
  agent: "claude",
  command: "deploy --token=hunter2",
  shell: "/bin/sh",
  cwd: "/home/me",
  status: "running",
  exit_code: null,
  signal: null,
  reason: null,
  started_at: "2026-11-30T09:00:00Z",
  ended_at: null,
  output_bytes: 0,
  left_behind: 0,
  size: { cols: 80, rows: 24 },
  pid: 4711,
  ...more,
});
const ENDED = { status: "exited", exit_code: 0, ended_at: "2026-11-30T09:00:01Z" } as const;

test("a process is shown from its start to the proof of its end, also when its tab is closed", () => {
  const history = openTerminalHistory(path(), now);
  history.follow([session()]);
  expect(history.list()).toMatchObject([{ pid: 4711, gone_at: null, proof: null }]);
  history.follow([session({ ...ENDED, left_behind: 2 })]);
  expect(history.list()).toMatchObject([{ status: "exited", left_behind: 2, gone_at: null }]);
  history.follow([session({ ...ENDED, gone_at: "2026-11-30T09:00:02Z" })]);
  history.follow([]);
  expect(history.list()).toMatchObject([{ gone_at: "2026-11-30T09:00:02Z", proof: "reaped" }]);
  history.close();
});

test("what changes the list is told, more output is not", async () => {
  let told = 0;
  const history = openTerminalHistory(
    path(),
    now,
    async () => new Set(),
    () => void (told += 1),
  );
  history.follow([session()]);
  expect(told).toBe(1);
  for (let second = 0; second < 10; second += 1) history.follow([session({ output_bytes: second })]);
  expect(told).toBe(1);
  history.follow([session(ENDED)]);
  expect(told).toBe(2);
  history.close();
  // What an earlier start left is looked for, and then it is another list.
  const next = openTerminalHistory(
    path(),
    now,
    async () => new Set(),
    () => void (told += 1),
  );
  await expect.poll(() => told).toBe(3);
  next.close();
});

test("a command is on disk as soon as it is heard of, those that follow at once together", () => {
  vi.useFakeTimers();
  try {
    const history = openTerminalHistory(path(), now);
    const onDisk = () => (existsSync(path()) ? readFileSync(path(), "utf8").match(/term_\w+/g) : null);
    history.follow([session()]);
    vi.advanceTimersByTime(1);
    expect(onDisk()).toEqual(["term_aaaaaaaa"]);
    history.follow([session({ session_id: "term_bbbbbbbb" })]);
    vi.advanceTimersByTime(400);
    history.follow([session({ session_id: "term_cccccccc" })]);
    expect(onDisk()).toEqual(["term_aaaaaaaa"]);
    vi.advanceTimersByTime(100);
    expect(onDisk()).toEqual(["term_aaaaaaaa", "term_bbbbbbbb", "term_cccccccc"]);
    history.close();
  } finally {
    vi.useRealTimers();
  }
});

test("what did not start, and what main ended after a crash of the bridge, have their own proof, and nothing else has one", () => {
  const history = openTerminalHistory(path(), now);
  const at = "2026-11-30T09:00:03Z";
  history.follow([
    session({ session_id: "term_bbbbbbbb", status: "failed_to_start", ended_at: at }),
    session({
      session_id: "term_cccccccc",
      status: "signalled",
      ended_at: at,
      gone_at: at,
      ended_by_app: true,
    }),
    session({ session_id: "term_dddddddd", status: "signalled", ended_at: at, reason: "crash" }),
  ]);
  expect(history.list().map(({ proof, gone_at }) => [proof, gone_at])).toEqual([
    [null, null],
    ["ended_by_app", at],
    ["never_started", at],
  ]);
  history.close();
});

test("what a killed app left open is looked for at the next start, and claimed gone only when it is", async () => {
  const before = openTerminalHistory(path(), now);
  before.follow([session(), session({ session_id: "term_bbbbbbbb" })]);
  before.close();
  const after = openTerminalHistory(path(), now, async () => new Set(["term_bbbbbbbb"]));
  await expect.poll(() => after.list().map(({ proof }) => proof)).toEqual([null, "not_there_at_start"]);
  after.close();
});

test("commands and their lengths are told, but do not reach the disk, and the file is for its owner only", () => {
  const history = openTerminalHistory(path(), now);
  history.follow([session({ command_chars: 9_000 })]);
  expect(history.list()[0]?.command).toContain("deploy");
  expect(history.list()[0]?.command_chars).toBe(9_000);
  history.close();
  expect(readFileSync(path(), "utf8")).not.toMatch(/hunter2|command/);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
});

test("only the newest 2,000 are kept", () => {
  const history = openTerminalHistory(path(), now);
  history.follow(
    Array.from({ length: 2_010 }, (_, at) => session({ session_id: `term_${String(at).padStart(8, "0")}` })),
  );
  expect(history.list()).toHaveLength(2_000);
  expect(history.list().at(-1)?.session_id).toBe("term_00000010");
  history.close();
});
