import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launch } from "./launch.ts";
import { stopChild } from "./stop-ladder.ts";
import { isAlive } from "./testing/alive.ts";
import { pidsOf } from "./testing/families.ts";
import { poll } from "./testing/poll.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
/** What is heeded gets the time that a loaded machine needs for it; what is not is soon over. */
const LONG_MS = 60_000;
const endsItself = { afterStdinCloseMs: LONG_MS };
const heedsTerm = { afterStdinCloseMs: 100, afterTermMs: LONG_MS };
const heedsNothing = { afterStdinCloseMs: 100, afterTermMs: 100, afterKillMs: LONG_MS };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-stop-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const shell = (script: string) =>
  launch({ command: "sh", args: ["-c", script], cwd: folder, env: { PATH, DIR: folder } });

describe("stopChild", () => {
  it("leaves alone what has already ended", async () => {
    const child = shell("exit 3");
    await once(child, "exit");
    expect(await stopChild(child)).toStrictEqual({ outcome: "left-alone", exitCode: 3, signal: null });
  });

  it("lets a child end itself when its stdin ends", async () => {
    const report = await stopChild(shell("cat; exit 5"), { times: endsItself });
    expect(report).toStrictEqual({ outcome: "ended-itself", exitCode: 5, signal: null });
  });

  it("goes on to SIGTERM, which a child may answer", async () => {
    const child = shell(`trap 'exit 6' TERM; echo > ${folder}/up; while :; do sleep 0.05; done`);
    await pidsOf(folder, ["up"]);
    expect(await stopChild(child, { times: heedsTerm })).toStrictEqual({
      outcome: "after-term",
      exitCode: 6,
      signal: null,
    });
  });

  it("goes on to SIGKILL", async () => {
    const child = shell(`trap '' TERM; echo > ${folder}/up; while :; do sleep 0.05; done`);
    await pidsOf(folder, ["up"]);
    expect(await stopChild(child, { times: heedsNothing })).toStrictEqual({
      outcome: "after-kill",
      exitCode: null,
      signal: "SIGKILL",
    });
  });

  it("begins with SIGTERM when there is no stdin to end", async () => {
    const child = launch({
      command: "sleep",
      args: ["300"],
      cwd: "/",
      env: { PATH },
      stdio: ["ignore", "ignore", "ignore"],
    });
    const report = await stopChild(child, {
      times: { afterStdinCloseMs: LONG_MS, afterTermMs: LONG_MS },
    });
    expect(report).toStrictEqual({ outcome: "after-term", exitCode: null, signal: "SIGTERM" });
  });

  it.each(["cat", "exec cat"])("sweeps the group after the child has ended itself (%s)", async (last) => {
    const child = shell(
      `(trap '' TERM HUP; echo $$ >/dev/null; sleep 300) & echo $! > pid.tmp; mv pid.tmp pid; ${last}`,
    );
    const [straggler = 0] = await pidsOf(folder, ["pid"]);
    expect(isAlive(straggler)).toBe(true);
    expect(await stopChild(child, { times: endsItself })).toMatchObject({ outcome: "ended-itself" });
    await poll("the straggler's end", () => !isAlive(straggler));
  });

  it("climbs one ladder when asked twice", async () => {
    const child = shell("cat");
    const [first, second] = await Promise.all([stopChild(child), stopChild(child)]);
    expect(second).toBe(first);
  });

  it("stops a child that leads no group by its pid", async () => {
    const child = spawn("sleep", ["300"], { stdio: "ignore" });
    const report = await stopChild(child, { times: heedsTerm });
    expect(report).toMatchObject({ outcome: "after-term", signal: "SIGTERM" });
  });

  it("survives a child that has closed its stdin while we write", async () => {
    const child = shell("exec <&-; sleep 0.3; exit 0");
    child.stdin.write("x".repeat(1_000_000));
    const report = await stopChild(child, { times: endsItself });
    expect(report).toMatchObject({ outcome: "ended-itself", exitCode: 0 });
  });
});
