import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { systemClock } from "../../loopback/clock.ts";
import { launchCommand } from "../../loopback/launch.ts";
import { readProcess } from "../../loopback/processes.ts";
import { isAlive } from "../../loopback/testing/alive.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { endLostTerminals, lostSessions } from "./lost-terminals.ts";

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
    clock: systemClock,
  });
  expect(seen.survivors).toEqual([]);
  expect(seen.ended).toBe(3);
  await poll("they are gone", () => ![known, untold, shed].some(isAlive));
  for (const pid of [ourChild, otherApp, reused]) expect(isAlive(pid)).toBe(true);
  expect(existsSync(folder)).toBe(false);
});

test("the tabs say what happened, and ended ones stay as they were", () => {
  const running = { status: "running", reason: null, ended_at: null, left_behind: 0 } as TerminalSession;
  const ended = { ...running, status: "exited", exit_code: 3 } as TerminalSession;
  const at = new Date("2026-11-30T10:00:00Z");
  const [first, second] = lostSessions([running, ended], { ended: 2, survivors: [] }, at);
  expect(first).toMatchObject({ status: "signalled", ended_at: at.toISOString() });
  expect(first?.reason).toMatch(/bridge stopped unexpectedly; its processes were ended/);
  expect(second).toEqual(ended);
  const [survived] = lostSessions([running], { ended: 0, survivors: [77] }, at);
  expect(survived?.reason).toMatch(/could not be ended: 77/);
});
