import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { TERMINAL_MARKER } from "./environment.ts";
import { areOfTerminal, lastingMarksOf, standFor } from "./lasting-mark.ts";
import { readOf } from "./proc.ts";

/** What tells one process from a later one with the same number. */
export interface ProcessId {
  pid: number;
  /** Opaque; equal only for the same process, also across restarts of the machine. */
  startTime: string;
}

export interface ProcessRow extends ProcessId {
  parent: number;
  /** 0 where it is not known (Windows). */
  group: number;
  /** 0 where it is not known (macOS, Windows). */
  session: number;
  /** The start as a number that grows: clock ticks since the machine started on Linux, ms since 1970 elsewhere. See `nowOrder`. */
  startOrder: number;
  /** Ended, but not yet reaped by its parent. Still holds its numbers. */
  zombie: boolean;
}

/** USER_HZ, the unit of /proc's times: 100 on every Linux that Node and Electron are built for. */
const TICKS_PER_SECOND = 100;
const LIST_TIMEOUT_MS = 5_000;
const LIST_MAX_BYTES = 16 * 1024 * 1024;
const run = promisify(execFile);

/** One process, or undefined when there is none. */
export async function readProcess(pid: number): Promise<ProcessRow | undefined> {
  if (process.platform === "linux") return readLinux(pid);
  return (await listProcesses()).find((row) => row.pid === pid);
}

/** Every process that this user may see. @throws when the system's list cannot be had */
export async function listProcesses(): Promise<ProcessRow[]> {
  if (process.platform === "linux") return listLinux();
  const limits = { timeout: LIST_TIMEOUT_MS, maxBuffer: LIST_MAX_BYTES, windowsHide: true };
  if (process.platform === "win32") {
    const list = await run("powershell", ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_LIST], limits);
    return parseWindowsList(list.stdout);
  }
  // LC_ALL: lstart is written in the language of the locale.
  const list = await run("ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], {
    ...limits,
    env: { LC_ALL: "C" },
  });
  return parsePs(list.stdout);
}

/** Does the process that is meant still run? A zombie does not. */
export async function sameProcess(id: ProcessId): Promise<boolean> {
  const row = await readProcess(id.pid);
  return row !== undefined && !row.zombie && row.startTime === id.startTime;
}

/**
 * Was the process (or the one it was forked from) started with this `NAME=value` in its environment, or launched with the
 * lasting mark that stands for it? Linux only, and the environment only of processes that this user may inspect; otherwise
 * false.
 */
export function carriesEntry(pid: number, entry: string): boolean {
  return environOf(pid).includes(`\0${entry}\0`) || standFor(lastingMarksOf(pid), entry);
}

/**
 * The environment that a process was started with, as `\0NAME=value\0…\0`; "" where it cannot be had, and for a moment while
 * it becomes another program: who asks for a marker has its lasting mark for that.
 * @throws when /proc cannot be read now: nothing is known of the process then
 */
export function environOf(pid: number): string {
  const environ = readOf(pid, "environ");
  return environ === undefined ? "" : `\0${environ}`;
}

/** Does it carry the marker of a terminal, of whichever? As `carriesEntry`. */
export function isOfTerminal(pid: number): boolean {
  return environOf(pid).includes(`\0${TERMINAL_MARKER}=`) || areOfTerminal(lastingMarksOf(pid));
}

/** The present moment in the unit of `startOrder`: every process that runs already has a `startOrder` up to this. */
export function nowOrder(): number {
  if (process.platform !== "linux") return Date.now();
  return Math.floor(Number(readFileSync("/proc/uptime", "utf8").split(" ", 1)[0]) * TICKS_PER_SECOND);
}

let boot: string | undefined;

/** Identifies this start of the machine; "" where the system does not say (then `startTime` is a date). */
export function bootId(): string {
  if (boot === undefined) {
    try {
      boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    } catch {
      boot = "";
    }
  }
  return boot;
}

function listLinux(): ProcessRow[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readLinux(Number(name)) ?? []) : []));
}

/**
 * As `readProcess`, without a turn in between. Linux only; elsewhere undefined.
 * @throws when /proc cannot be read now
 */
export function readLinux(pid: number): ProcessRow | undefined {
  const stat = readOf(pid, "stat");
  return stat === undefined ? undefined : parseStat(stat, bootId());
}

/** One line of /proc/<pid>/stat. The name in it may hold anything, spaces and brackets included. */
export function parseStat(stat: string, boot: string): ProcessRow | undefined {
  const close = stat.lastIndexOf(")");
  // Fields from the third on, proc(5): 3 state, 4 ppid, 5 pgrp, 6 session, ..., 20 num_threads, 22 starttime.
  const rest = stat.slice(close + 2).split(" ");
  const numbers = [stat.slice(0, stat.indexOf(" ")), rest[1], rest[2], rest[3], rest[17], rest[19]].map(
    Number,
  );
  const [pid, parent, group, session, threads, startOrder] = numbers;
  if (close < 0 || pid === undefined || parent === undefined || group === undefined || session === undefined)
    return undefined;
  if (threads === undefined || startOrder === undefined || !numbers.every(Number.isSafeInteger))
    return undefined;
  // 38 exit_signal: a thread that is no process of its own has -1, and is found only by who asks for its number.
  if (rest[35] === "-1") return undefined;
  // A process whose first thread has ended looks like a zombie while its other threads run.
  const zombie = rest[0] === "X" || (rest[0] === "Z" && threads <= 1);
  return { pid, parent, group, session, startTime: `${boot}:${startOrder}`, startOrder, zombie };
}

/** Output of `ps -axo pid=,ppid=,pgid=,stat=,lstart=` on macOS. Start times have a resolution of one second there. */
export function parsePs(output: string): ProcessRow[] {
  return output.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*\S)\s*$/.exec(line);
    if (match === null) return [];
    const [, pid, parent, group, state = "", started = ""] = match;
    const startTime = started.replaceAll(/\s+/g, " ");
    const startOrder = Date.parse(startTime);
    if (Number.isNaN(startOrder)) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), session: 0 };
    return [{ ...numbers, startTime, startOrder, zombie: state.startsWith("Z") }];
  });
}

const WINDOWS_LIST =
  "Get-CimInstance Win32_Process | ForEach-Object { if ($_.CreationDate) { '{0} {1} {2}' -f " +
  "$_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc() } }";
/** A file time counts 100 ns from 1601. */
const FILE_TIME_PER_MS = 10_000;
const FILE_TIME_OF_1970_MS = 11_644_473_600_000;

/** Lines of pid, parent's pid and creation as a Windows file time. */
export function parseWindowsList(output: string): ProcessRow[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const match = /^(\d+) (\d+) (\d+)$/.exec(line.trim());
    if (match === null) return [];
    const [, pid, parent, startTime = ""] = match;
    const startOrder = Math.floor(Number(startTime) / FILE_TIME_PER_MS) - FILE_TIME_OF_1970_MS;
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: 0,
        session: 0,
        startTime,
        startOrder,
        zombie: false,
      },
    ];
  });
}
