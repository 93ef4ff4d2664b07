import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "../loopback/testing/alive.ts";
import { poll } from "../loopback/testing/poll.ts";
import { loginEnvironment } from "./login-environment.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "bridge-login-"));
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

const ask = (more: Partial<Parameters<typeof loginEnvironment>[0]> = {}) =>
  loginEnvironment({
    shell: "/bin/bash",
    cwd: home,
    from: {
      HOME: home,
      PATH: process.env["PATH"],
      BEFORE: "1",
      IRONFLOW_API_KEY: "secret",
      IRONBRIDGE_X: "secret",
    },
    ...more,
  });

/** A shell that is a script of ours, for shells that misbehave. */
async function shellOf(script: string): Promise<string> {
  const file = join(home, "shell");
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

describe("the login shell's environment", () => {
  it("has what the person's start-up files set, whatever they print and values hold", async () => {
    await writeFile(
      join(home, ".bash_profile"),
      `echo "Welcome! {}"; export GREETING=$'a\\nEVIL=1\\n"quoted" ä'; export PATH="$HOME/bin:$PATH"; echo -n noise >&2`,
    );
    const { env, problem } = await ask();
    expect(problem).toBeUndefined();
    expect(env["GREETING"]).toBe('a\nEVIL=1\n"quoted" ä');
    expect(env["EVIL"]).toBeUndefined();
    expect(env["PATH"]?.startsWith(`${home}/bin:`)).toBe(true);
    expect(env["BEFORE"]).toBe("1");
  });

  it("has none of our variables, also when a start-up file sets one", async () => {
    await writeFile(
      join(home, ".bash_profile"),
      "export IRONBRIDGE_BRIDGE_TOKEN=x NODE_OPTIONS=; env > seen",
    );
    const { env } = await ask();
    expect(
      Object.keys(env).filter((name) => /^(IRONBRIDGE|IRONFLOW|ELECTRON|NODE_OPTIONS)/.test(name)),
    ).toEqual([]);
    expect(await readFile(join(home, "seen"), "utf8")).not.toContain("secret");
  });

  it("is what it started from when the shell takes too long, and the shell is gone with its children", async () => {
    const shell = await shellOf(`trap '' TERM; sleep 600 & echo $$ $! > ${home}/pids; wait`);
    const { env, problem } = await ask({ shell, limitMs: 3_000 });
    expect(problem).toBe(`${shell} took longer than 3000 ms at login`);
    expect(env).toEqual({ HOME: home, PATH: process.env["PATH"], BEFORE: "1" });
    const pids = (await readFile(join(home, "pids"), "utf8")).trim().split(" ").map(Number);
    await poll("gone", () => !pids.some(isAlive));
  });

  it("is what it started from when it is given up", async () => {
    const given = new AbortController();
    const answer = ask({ shell: await shellOf("sleep 600"), signal: given.signal });
    given.abort();
    expect(await answer).toMatchObject({ env: { BEFORE: "1" }, problem: "given up" });
  });

  it.each([
    ["says nothing", "exit 0", "ended at login without an answer"],
    ["fails", "echo broken >&2; exit 1", "ended at login without an answer"],
    ["prints without end", "exec yes", "printed too much at login"],
  ])("is what it started from when the shell %s", async (_name, script, why) => {
    const { env, problem } = await ask({ shell: await shellOf(script) });
    expect(problem).toContain(why);
    expect(env["BEFORE"]).toBe("1");
  });

  it("is what it started from when there is no such shell", async () => {
    const { env, problem } = await ask({ shell: "/no/such/shell" });
    expect(problem).toBe("no such command: /no/such/shell");
    expect(env["BEFORE"]).toBe("1");
  });
});
