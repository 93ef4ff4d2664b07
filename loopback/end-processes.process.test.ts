import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pty from "node-pty";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endProcesses } from "./end-processes.ts";
import { launchCommand } from "./launch.ts";
import { nowOrder, readProcess } from "./processes.ts";
import { isAlive } from "./testing/alive.ts";
import { FAMILIES, pidsOf } from "./testing/families.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
/** What is heeded gets the time that a loaded machine needs for it; what is not is soon over. */
const LONG_MS = 60_000;
const stepsHeeding = (heeded: "SIGINT" | "SIGTERM" | "SIGKILL") =>
  (["SIGINT", "SIGTERM", "SIGKILL"] as const).map((signal) => ({
    signal,
    waitMs: signal === heeded ? LONG_MS : 150,
  }));
const steps = stepsHeeding("SIGKILL");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-end-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The leader of a session on a terminal: the claim on it, and its end. */
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
  return { claim: { pid: term.pid, startTime }, exited };
}

describe("ending the session of a leader", () => {
  it("says that there was nothing to end", async () => {
    const claims = [{ pid: 2 ** 22 + 1, startTime: "never" }];
    expect(await endProcesses({ claims, steps })).toStrictEqual({ ended: [], survivors: [] });
  });

  it.each([
    ["SIGINT", ":"],
    ["SIGTERM", "trap '' INT"],
    ["SIGKILL", "trap '' INT TERM"],
  ] as const)("ends with %s what ignores less", async (lastSignal, trap) => {
    const { claim, exited } = await terminal(`${trap}; echo $$ > up; exec sleep 300`);
    await pidsOf(folder, ["up"]);
    const report = await endProcesses({ claims: [claim], steps: stepsHeeding(lastSignal) });
    await exited;
    expect(report).toStrictEqual({ lastSignal, ended: [claim.pid], survivors: [] });
  });

  it.each(Object.entries(FAMILIES))("ends the whole family: %s", async (_title, { script, names }) => {
    const { claim, exited } = await terminal(script);
    const pids = await pidsOf(folder, names);
    const report = await endProcesses({ claims: [claim], marker: "IRONBRIDGE_TERMINAL=t-1", steps });
    await exited;
    expect(report).toMatchObject({ survivors: [] });
    expect(pids.filter(isAlive)).toStrictEqual([]);
    expect(report.ended).toEqual(expect.arrayContaining(pids));
  });

  it("ends what lives on after the leader, by the moment the leader was last known, without a marker", async () => {
    const member = `trap "" HUP; echo $$ > left.tmp; mv left.tmp left; sleep 300`;
    const { claim, exited } = await terminal(
      `env -i PATH=$PATH sh -c '${member}' & until [ -e go ]; do sleep 0.02; done`,
    );
    const [left = 0] = await pidsOf(folder, ["left"]);
    const knownAt = nowOrder();
    writeFileSync(join(folder, "go"), "");
    await exited;
    expect(isAlive(left)).toBe(true);
    expect(await endProcesses({ claims: [claim], steps })).toMatchObject({ ended: [] });
    expect(isAlive(left)).toBe(true);
    await endProcesses({ claims: [{ ...claim, knownAt }], steps });
    expect(isAlive(left)).toBe(false);
  });

  it("touches nobody when the pid belongs to another process by now", async () => {
    const { claim, exited } = await terminal("echo $$ > up; exec sleep 300");
    await pidsOf(folder, ["up"]);
    const other = { pid: claim.pid, startTime: "another-boot:1", knownAt: nowOrder() };
    expect(await endProcesses({ claims: [other], steps })).toMatchObject({ ended: [], survivors: [] });
    expect(isAlive(claim.pid)).toBe(true);
    await endProcesses({ claims: [claim], steps });
    await exited;
  });
});
