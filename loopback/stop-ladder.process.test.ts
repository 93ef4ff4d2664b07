import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pty from "node-pty";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launch, launchCommand } from "./launch.ts";
import { nowOrder, readProcess } from "./processes.ts";
import { stopChild, stopSession } from "./stop-ladder.ts";
import { isAlive } from "./testing/alive.ts";
import { FAMILIES, pidsOf } from "./testing/families.ts";
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

describe("stopSession", () => {
  const stepsHeeding = (heeded: "SIGINT" | "SIGTERM" | "SIGKILL") =>
    (["SIGINT", "SIGTERM", "SIGKILL"] as const).map((signal) => ({
      signal,
      waitMs: signal === heeded ? LONG_MS : 150,
    }));
  const steps = stepsHeeding("SIGKILL");

  async function terminal(script: string) {
    // Both, as every terminal has them: the lasting mark is made of both.
    const env = { PATH, DIR: folder, IRONBRIDGE_SESSION: "s-1", IRONBRIDGE_TERMINAL: "t-1" };
    const { command, args } = launchCommand({ command: "/bin/sh", args: ["-c", script] }, env);
    const term = pty.spawn(command, args, { cwd: folder, env });
    const exited = new Promise<void>((resolve) => {
      term.onExit(() => {
        resolve();
      });
    });
    const { startTime = "" } = (await readProcess(term.pid)) ?? {};
    return { id: { pid: term.pid, startTime }, exited };
  }

  it("says that there was nothing to stop", async () => {
    const report = await stopSession({ pid: 2 ** 22 + 1, startTime: "never" });
    expect(report).toStrictEqual({ outcome: "left-alone", ended: [], survivors: [] });
  });

  it.each([
    ["SIGINT", ":"],
    ["SIGTERM", "trap '' INT"],
    ["SIGKILL", "trap '' INT TERM"],
  ] as const)("ends with %s what ignores less", async (lastSignal, trap) => {
    const { id, exited } = await terminal(`${trap}; echo $$ > up; exec sleep 300`);
    await pidsOf(folder, ["up"]);
    const report = await stopSession(id, { steps: stepsHeeding(lastSignal) });
    await exited;
    expect(report).toStrictEqual({ outcome: "ended", lastSignal, ended: [id.pid], survivors: [] });
  });

  it.each(Object.entries(FAMILIES))("ends the whole family: %s", async (_title, { script, names }) => {
    const { id, exited } = await terminal(script);
    const pids = await pidsOf(folder, names);
    const report = await stopSession({ ...id, marker: "IRONBRIDGE_TERMINAL=t-1" }, { steps });
    await exited;
    expect(report).toMatchObject({ outcome: "ended", survivors: [] });
    expect(pids.filter(isAlive)).toStrictEqual([]);
    expect(report.ended).toEqual(expect.arrayContaining(pids));
  });

  it("ends what lives on after the leader, by the moment the leader was last known, without a marker", async () => {
    const member = `trap "" HUP; echo $$ > left.tmp; mv left.tmp left; sleep 300`;
    const { id, exited } = await terminal(
      `env -i PATH=$PATH sh -c '${member}' & until [ -e go ]; do sleep 0.02; done`,
    );
    const [left = 0] = await pidsOf(folder, ["left"]);
    const knownAt = nowOrder();
    writeFileSync(join(folder, "go"), "");
    await exited;
    expect(isAlive(left)).toBe(true);
    expect(await stopSession(id)).toMatchObject({ outcome: "left-alone" });
    expect(await stopSession({ ...id, knownAt }, { steps })).toMatchObject({ outcome: "ended" });
    expect(isAlive(left)).toBe(false);
  });

  it("touches nobody when the pid belongs to another process by now", async () => {
    const child = shell("cat");
    const pid = child.pid ?? 0;
    const report = await stopSession({ pid, startTime: "another-boot:1", knownAt: nowOrder() }, { steps });
    expect(report).toMatchObject({ outcome: "left-alone" });
    expect(isAlive(pid)).toBe(true);
    await stopChild(child);
  });
});
