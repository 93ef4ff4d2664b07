import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  findBash,
  launch,
  LaunchError,
  resolveCommand,
  type LaunchOptions,
  type LaunchProblem,
} from "./launch.ts";
import { isAlive } from "./testing/alive.ts";
import { poll } from "./testing/poll.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-launch-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function run(command: string, args: string[], env: Record<string, string> = { PATH }) {
  const child = launch({ command, args, cwd: folder, env });
  const exited = once(child, "exit");
  child.stdin.end();
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, err, code: child.exitCode, signal: child.signalCode };
}

describe("launch", () => {
  it("hands arguments, folder, input and output through unchanged", async () => {
    const say =
      "process.stdin.pipe(process.stdout);console.error(JSON.stringify([process.argv.slice(1),process.cwd()]))";
    const args = ["", "a b", "$HOME", "é\n'\"", "-n"];
    const child = launch({
      command: process.execPath,
      args: ["-e", say, "--", ...args],
      cwd: folder,
      env: { PATH },
    });
    child.stdin.end("all of it");
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(out).toBe("all of it");
    expect(JSON.parse(err)).toStrictEqual([args, folder]);
  });

  it("gives the child exactly the environment, names that are hostile to bash included", async () => {
    writeFileSync(join(folder, "evil.sh"), `touch ${join(folder, "pwned")}; exit 7`);
    const env = {
      PATH,
      BASH_ENV: join(folder, "evil.sh"),
      ENV: join(folder, "evil.sh"),
      GLOBIGNORE: "*",
      "BASH_FUNC_exec%%": `() { touch ${join(folder, "pwned")}; }`,
      "odd.name-1": "x y",
      IRONBRIDGE_SESSION: "s",
      LINES: "24",
    };
    const { out, code } = await run("env", ["-0"], { ...env, SHELLOPTS: "noglob", BASHOPTS: "nullglob" });
    const entries = out.split("\0").filter((entry) => entry !== "");
    const got = entries.map((entry) => [
      entry.slice(0, entry.indexOf("=")),
      entry.slice(entry.indexOf("=") + 1),
    ]);
    expect(Object.fromEntries(got)).toStrictEqual({ ...env, SHLVL: "0" });
    expect(code).toBe(0);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });

  it("runs nobody's start-up file, though Node's pipes look to bash like a remote connection", async () => {
    writeFileSync(join(folder, ".bashrc"), "echo from bashrc");
    expect(await run("true", [], { PATH, HOME: folder })).toMatchObject({ out: "", err: "", code: 0 });
  });

  it("makes the child the leader of its own session and group, with the pid that spawn gave", async () => {
    const child = launch({ command: "cat", args: ["/proc/self/stat"], cwd: "/", env: { PATH } });
    const stat = (await text(child.stdout)).replace(/\(.*\)/, "name").split(" ");
    const [pid, , , , group, session] = stat.map(Number);
    // Fields are pid, name, state, parent, group, session.
    expect(stat[1]).toBe("name");
    expect({ pid, group, session }).toStrictEqual({ pid: child.pid, group: child.pid, session: child.pid });
  });

  it.each([
    ["exit 7", 7, null],
    ["kill -TERM $$", null, "SIGTERM"],
    ["kill -KILL $$", null, "SIGKILL"],
  ])("reports the end by %j as it was", async (script, code, signal) => {
    expect(await run("sh", ["-c", script])).toMatchObject({ code, signal });
  });

  it("kills what is left of the group when the child exits", async () => {
    const { out } = await run("sh", ["-c", "sleep 300 >/dev/null 2>&1 & echo $!"]);
    expect(Number(out)).toBeGreaterThan(1);
    await poll("the straggler's end", () => !isAlive(Number(out)));
  });

  const failure = (change: Partial<LaunchOptions>): unknown => {
    try {
      return launch({ command: "true", args: [], cwd: folder, env: { PATH }, ...change });
    } catch (error) {
      return error;
    }
  };

  it.each<[LaunchProblem, Partial<LaunchOptions>]>([
    ["no-command", { command: "no-such-program-here" }],
    ["no-command", { command: "./nothing" }],
    ["no-command", { command: "" }],
    ["no-command", { command: "/" }],
    ["not-executable", { command: "/etc/passwd" }],
    ["no-cwd", { cwd: "/nowhere/at/all" }],
    ["no-cwd", { cwd: "/etc/passwd" }],
    ["no-cwd", { cwd: "relative" }],
  ])("starts nothing and says %s for %o", (problem, change) => {
    expect(failure(change)).toBeInstanceOf(LaunchError);
    expect(failure(change)).toMatchObject({ problem });
  });

  it("starts nothing and says so when the system refuses, and keeps the cause", () => {
    const error = failure({ args: ["x".repeat(3_000_000)] });
    expect(error).toMatchObject({ problem: "spawn-failed", cause: { code: "E2BIG" } });
  });
});

describe("findBash", () => {
  it("takes the first that can be run, and says where it looked when there is none", () => {
    expect(findBash(["/nowhere/bash", "/etc/passwd", "/bin/bash"])).toBe("/bin/bash");
    expect(() => findBash(["/nowhere/bash"])).toThrow(LaunchError);
    expect(() => findBash(["/nowhere/bash"])).toThrow("in none of /nowhere/bash");
  });
});

describe("resolveCommand", () => {
  it("looks commands up as a shell does", () => {
    const bin = mkdtempSync(join(folder, "bin-"));
    mkdirSync(join(bin, "folder"));
    writeFileSync(join(bin, "plain"), "");
    writeFileSync(join(bin, "tool"), "#!/bin/sh\n");
    chmodSync(join(bin, "tool"), 0o755);
    expect(resolveCommand("tool", { cwd: "/", path: `/nowhere:${bin}` })).toBe(join(bin, "tool"));
    expect(resolveCommand("./tool", { cwd: bin, path: undefined })).toBe(join(bin, "tool"));
    expect(resolveCommand("tool", { cwd: bin, path: "" })).toBe(join(bin, "tool"));
    expect(() => resolveCommand("plain", { cwd: "/", path: bin })).toThrow(/not executable/);
    expect(() => resolveCommand("folder", { cwd: "/", path: bin })).toThrow(/no such command: folder/);
  });
});
