import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.ts";
import { stopChild } from "./stop-ladder.ts";

/** A child as far as the ladder looks at one. Only Windows' branch is tested with it; the others meet real children. */
class InventedChild extends EventEmitter {
  readonly pid = 4_242;
  exitCode: number | null = null;
  signalCode = null;
  readonly stdin = new PassThrough();
  exit(code: number): void {
    this.exitCode = code;
    this.emit("exit", code, null);
  }
}

/** A clock whose waits are over at once, in the order in which they were asked for. */
function eagerClock(): Clock & { waitsMs: number[] } {
  const waitsMs: number[] = [];
  const sleep = async (ms: number) => {
    waitsMs.push(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { waitsMs, nowMs: () => 0, sleep };
}

const asChild = (child: InventedChild) => child as unknown as ChildProcess; // as far as stopChild looks at it

describe("stopChild on Windows", () => {
  it("ends the tree by taskkill when the end of stdin was not enough", async () => {
    const child = new InventedChild();
    const clock = eagerClock();
    const killed: number[] = [];
    const killTree = async (pid: number) => {
      killed.push(pid);
      child.exit(1);
    };
    const report = await stopChild(asChild(child), { platform: "win32", killTree, clock });
    expect(report).toStrictEqual({ outcome: "after-kill", exitCode: 1, signal: null });
    expect(killed).toStrictEqual([4_242]);
    expect(child.stdin.writableEnded).toBe(true);
    expect(clock.waitsMs[0]).toBe(2_000);
  });

  it("kills nothing when the child ends by itself", async () => {
    const child = new InventedChild();
    child.stdin.on("finish", () => {
      child.exit(0);
    });
    const killTree = () => Promise.reject(new Error("must not be called"));
    const report = await stopChild(asChild(child), { platform: "win32", killTree });
    expect(report).toStrictEqual({ outcome: "ended-itself", exitCode: 0, signal: null });
  });

  it("does not claim an exit that it has not seen", async () => {
    const killTree = () => Promise.resolve();
    const report = await stopChild(asChild(new InventedChild()), {
      platform: "win32",
      killTree,
      clock: eagerClock(),
    });
    expect(report).toStrictEqual({ outcome: "not-confirmed", exitCode: null, signal: null });
  });
});
