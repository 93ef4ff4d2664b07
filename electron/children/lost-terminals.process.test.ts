import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { systemClock } from "../../loopback/clock.ts";
import { launchCommand } from "../../loopback/launch.ts";
import { readProcess } from "../../loopback/processes.ts";
import { isAlive } from "../../loopback/testing/alive.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { openTerminalHistory } from "../terminal-history.ts";
import { endLostTerminals, lostSessions, whose, type LostTerminals } from "./lost-terminals.ts";

const launch = `launch-${process.pid}-0123456789`;
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

const DEAF = `$SIG{$_} = "IGNORE" for qw(INT TERM HUP); $| = 1; print "up\\n"; sleep 600 while 1`;

/** A leader of its own session, deaf to every polite signal, once it is. */
async function deaf(env: Record<string, string>, how: "shed" | "plain" = "plain"): Promise<number> {
  const whole = { PATH: process.env["PATH"] ?? "", ...env };
  const perl = { command: "/usr/bin/perl", args: ["-e", DEAF] };
  const { command, args } =
    how === "plain"
      ? perl
      : launchCommand({ command: "/usr/bin/env", args: ["-i", perl.command, ...perl.args] }, whole);
  const child = spawn(command, args, { detached: true, env: whole, stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  await new Promise((up) => child.stdout?.once("data", up));
  return child.pid ?? 0;
}

test("what ran in a dead bridge's terminals is ended, whoever told of it, and nobody else", async () => {
  const terminal = { IRONBRIDGE_SESSION: launch, IRONBRIDGE_TERMINAL: "term_aaaaaaaa" };
  const known = await deaf({ IRONBRIDGE_SESSION: launch });
  const untold = await deaf(terminal);
  const ourChild = await deaf({ IRONBRIDGE_SESSION: launch });
  // As a terminal's process is after `env -i setsid`: only the launcher's lasting mark is left of what it was.
  const shed = await deaf(terminal, "shed");
  const otherApp = await deaf({ ...terminal, IRONBRIDGE_SESSION: `${launch}-other` });
  const reused = await deaf({});
  const folder = await mkdtemp(join(tmpdir(), "lost-terminals-"));
  await writeFile(join(folder, "script"), "true");

  const startTime = (await readProcess(known))?.startTime ?? "";
  const seen = await endLostTerminals({
    launch,
    leaders: new Map([
      [known, startTime],
      [reused, "another start time"],
    ]),
    folder,
    sessions: [],
    clock: systemClock,
  });
  expect(seen).toMatchObject({ survivors: [], unknown: 0 });
  expect(seen.ended).toBe(3);
  await poll("they are gone", () => ![known, untold, shed].some(isAlive));
  for (const pid of [ourChild, otherApp, reused]) expect(isAlive(pid)).toBe(true);
  expect(existsSync(folder)).toBe(false);
});

test("what cannot be ended is known by the terminal that it is of", async () => {
  const session = (id: string, pid: number) => ({ session_id: `term_${id}`, pid }) as TerminalSession;
  const marked = await deaf({ IRONBRIDGE_SESSION: launch, IRONBRIDGE_TERMINAL: "term_aaaaaaaa" });
  const leader = await deaf({});
  const nobody = await deaf({});
  const sessions = [session("aaaaaaaa", 1), session("bbbbbbbb", leader), session("cccccccc", 2)];
  expect(await whose([marked, leader, nobody], sessions)).toEqual({
    leftIn: new Map([
      ["term_aaaaaaaa", 1],
      ["term_bbbbbbbb", 1],
    ]),
    unknown: 1,
  });
});

const AT = new Date("2026-11-30T10:00:00Z");
const RUNNING: TerminalSession = {
  session_id: "term_aaaaaaaa",
  agent: "claude",
  command: "make",
  shell: "/bin/sh",
  cwd: "/home/me",
  status: "running",
  exit_code: null,
  signal: null,
  reason: null,
  started_at: "2026-11-30T08:00:00Z",
  ended_at: null,
  output_bytes: 0,
  left_behind: 0,
  size: { cols: 80, rows: 24 },
  pid: 4711,
};
const ENDED = { ...RUNNING, status: "exited", exit_code: 3, ended_at: "2026-11-30T09:00:00Z" } as const;
const NOTHING_LEFT: LostTerminals = { ended: 2, survivors: [], leftIn: new Map(), unknown: 0 };

/** What the tab of a lost session shows, and what the history says of it. */
async function afterwards(session: TerminalSession, seen: LostTerminals) {
  const [tab] = lostSessions([session], seen, AT);
  if (tab === undefined) throw new Error("it is not shown any more");
  const folder = await mkdtemp(join(tmpdir(), "lost-terminals-"));
  const history = openTerminalHistory(join(folder, "terminals.json"), () => AT);
  history.follow([tab]);
  const [record] = history.list();
  history.close();
  await rm(folder, { recursive: true });
  return { tab, record };
}

test("the tabs say what happened, and that nothing is left where main saw that", async () => {
  const { tab, record } = await afterwards(RUNNING, NOTHING_LEFT);
  expect(tab).toMatchObject({ status: "signalled", ended_at: AT.toISOString(), left_behind: 0 });
  expect(tab.reason).toMatch(/bridge stopped unexpectedly; its processes were ended/);
  expect(record).toMatchObject({ proof: "ended_by_app", gone_at: AT.toISOString(), left_behind: 0 });
});

test("what lives on is neither called gone nor left out", async () => {
  const seen: LostTerminals = { ...NOTHING_LEFT, survivors: [77], leftIn: new Map([["term_aaaaaaaa", 1]]) };
  for (const session of [RUNNING, { ...ENDED, left_behind: 2 }]) {
    const { tab, record } = await afterwards(session, seen);
    expect(tab.left_behind).toBe(1);
    expect(record).toMatchObject({ proof: null, gone_at: null, left_behind: 1 });
  }
  expect((await afterwards(RUNNING, seen)).tab.reason).toMatch(/could not be ended: 77/);
  const other = await afterwards({ ...RUNNING, session_id: "term_bbbbbbbb" }, seen);
  expect(other.tab.reason).toMatch(/its processes were ended/);
  expect(other.record).toMatchObject({ proof: "ended_by_app", left_behind: 0 });
});

test("of what nobody knows whose it is, every terminal may have some", async () => {
  const { record } = await afterwards(RUNNING, { ...NOTHING_LEFT, survivors: [77], unknown: 1 });
  expect(record).toMatchObject({ proof: null, gone_at: null, left_behind: 1 });
});

test("a session that had ended stays as it was; what it had left is gone when main ended that", async () => {
  const gone = { ...ENDED, gone_at: "2026-11-30T09:00:01Z" };
  const proved = await afterwards(gone, NOTHING_LEFT);
  expect(proved.tab).toEqual(gone);
  expect(proved.record).toMatchObject({ proof: "reaped", gone_at: gone.gone_at });
  for (const left of [0, 2]) {
    const { tab, record } = await afterwards({ ...ENDED, left_behind: left }, NOTHING_LEFT);
    expect(tab).toMatchObject({ ...ENDED, left_behind: 0 });
    expect(record).toMatchObject({ proof: "ended_by_app", gone_at: AT.toISOString(), left_behind: 0 });
  }
  const never = { ...ENDED, status: "failed_to_start" } as const;
  expect((await afterwards(never, NOTHING_LEFT)).tab).toEqual(never);
});
