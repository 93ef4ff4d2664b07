import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { breakLock, startTime, tryTake, withLock } from "./lock.mjs";

const MODULE = pathToFileURL(join(import.meta.dirname, "lock.mjs")).href;

describe("the lock", () => {
  let folder = "";
  let lock = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ironbridge-lock-"));
    lock = join(folder, "lock");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  /** @param {string} body runs with `lock`, `withLock` and `append(text)` at hand */
  function start(body) {
    const script = `
      import { appendFileSync } from "node:fs";
      import { setTimeout as sleep } from "node:timers/promises";
      import { withLock } from ${JSON.stringify(MODULE)};
      const lock = ${JSON.stringify(lock)};
      const append = (text) => appendFileSync(${JSON.stringify(join(folder, "log"))}, text + "\\n");
      ${body}`;
    return spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  }

  it("lets one process at a time do its work, whatever order they come in", async () => {
    const work = 'await withLock(lock, async () => { append("in"); await sleep(50); append("out"); });';
    const children = [start(work), start(work), start(work), start(work)];
    await Promise.all(children.map((child) => once(child, "exit")));
    const log = readFileSync(join(folder, "log"), "utf8").trim().split("\n");
    expect(log).toEqual(["in", "out", "in", "out", "in", "out", "in", "out"]);
    expect(readdirSync(folder)).toEqual(["log"]);
  });

  it("is taken over from a holder that was killed", async () => {
    const holder = start('await withLock(lock, async () => { append("held"); await sleep(60_000); });');
    const exited = once(holder, "exit");
    await expect.poll(() => existsSync(join(folder, "log"))).toBe(true);
    holder.kill("SIGKILL");
    await exited;
    expect(existsSync(lock)).toBe(true);
    await expect(withLock(lock, async () => "mine")).resolves.toBe("mine");
    expect(existsSync(lock)).toBe(false);
  });

  it("is taken over when its pid now belongs to another process", async () => {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, started: "1" }));
    await expect(withLock(lock, async () => "mine")).resolves.toBe("mine");
  });

  it("is taken over when the file is no lock at all", async () => {
    writeFileSync(lock, "not json");
    await expect(withLock(lock, async () => "mine")).resolves.toBe("mine");
  });

  it("is released when the work fails, and the failure comes through", async () => {
    const failing = withLock(lock, async () => {
      throw new Error("work failed");
    });
    await expect(failing).rejects.toThrow("work failed");
    expect(existsSync(lock)).toBe(false);
  });

  it("is not broken while its holder lives", () => {
    expect(tryTake(lock)).toBe(true);
    breakLock(lock);
    expect(tryTake(lock)).toBe(false);
    expect(JSON.parse(readFileSync(lock, "utf8"))).toEqual({
      pid: process.pid,
      started: startTime(process.pid),
    });
  });
});
