import type { ChildProcess } from "node:child_process";
import { systemClock, within, type Clock } from "./clock.ts";
import { signalGroup, taskkillTree } from "./signals.ts";

/** How long each rung is given, in ms. */
export interface StopTimes {
  afterStdinCloseMs: number;
  afterTermMs: number;
  /** A process in an uninterruptible wait outlives SIGKILL; nobody waits for it longer than this. */
  afterKillMs: number;
}

export const STOP: StopTimes = { afterStdinCloseMs: 2_000, afterTermMs: 2_000, afterKillMs: 2_000 };

export type StopOutcome =
  /** It had already exited. */
  | "left-alone"
  /** It exited when its stdin ended. */
  | "ended-itself"
  | "after-term"
  | "after-kill"
  /** Everything was tried, no exit was seen. */
  | "not-confirmed";

export interface StopReport {
  outcome: StopOutcome;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

export interface StopOptions {
  times?: Partial<StopTimes>;
  clock?: Clock;
  platform?: NodeJS.Platform;
  /** Windows: ends a process tree. */
  killTree?: (pid: number) => Promise<void>;
}

const underWay = new WeakMap<ChildProcess, Promise<StopReport>>();

/**
 * Ends a child that leads its own process group (`launch` makes only such): its stdin is ended, then SIGTERM and SIGKILL go
 * to the group, each after the time of the rung before. Whatever is left of the group is killed at the end. Resolves when
 * the system has reported the exit, or with `not-confirmed`. Never rejects. Asked twice, there is one ladder.
 * Windows has no signals: there `taskkill /T /F` follows the end of stdin, reported as `after-kill`.
 */
export function stopChild(child: ChildProcess, options: StopOptions = {}): Promise<StopReport> {
  const known = underWay.get(child);
  if (known !== undefined) return known;
  const report = climb(child, options);
  underWay.set(child, report);
  return report;
}

async function climb(child: ChildProcess, options: StopOptions): Promise<StopReport> {
  const { pid } = child;
  const { clock = systemClock, platform = process.platform, killTree = taskkillTree } = options;
  const times = { ...STOP, ...options.times };
  const report = (outcome: StopOutcome): StopReport => ({
    outcome,
    exitCode: child.exitCode,
    signal: child.signalCode,
  });
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return report("left-alone");

  const windows = platform === "win32";
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => {
      // Before anything else can run: the group's number is still ours.
      if (!windows) signalGroup(pid, "SIGKILL");
      resolve();
    });
  });
  if (child.stdin !== null) {
    child.stdin.on("error", () => {
      // It closed its end first; that it is going is what is wanted.
    });
    child.stdin.end();
    if (await within(gone, times.afterStdinCloseMs, clock)) return report("ended-itself");
  }
  if (windows) await killTree(pid);
  else {
    signalTree(child, pid, "SIGTERM");
    if (await within(gone, times.afterTermMs, clock)) return report("after-term");
    signalTree(child, pid, "SIGKILL");
  }
  return report((await within(gone, times.afterKillMs, clock)) ? "after-kill" : "not-confirmed");
}

function signalTree(child: ChildProcess, pid: number, signal: NodeJS.Signals): void {
  // A child that was not made a group's leader has no group of that number.
  if (!signalGroup(pid, signal)) child.kill(signal);
}
