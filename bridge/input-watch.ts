import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

/*
 * Does somebody have to type now? The kernel says who is in the foreground of a terminal and in which call each of them
 * waits (proc(5): `stat`, `syscall`, `fd`). Elsewhere only the output can tell.
 */

/** `reads`: blocked in a read of the terminal. `polls`: waits for one of several things, the terminal among them. */
export type Foreground = "reads" | "polls" | "busy";

/** Numbers of the calls, by the architecture: asm/unistd.h. */
const CALLS: Readonly<Record<string, { read: number[]; poll: number[] }>> = {
  x64: { read: [0, 19], poll: [7, 23, 232, 270, 271, 281, 441] },
  arm64: { read: [63, 65], poll: [22, 72, 73, 441] },
};
/** A pipeline or a build has so many processes at most that are looked at. */
const MAX_LOOKED_AT = 64;
const STTY_LIMIT_MS = 2_000;
/** Escape sequences that draw nothing by themselves. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /\u001b(\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(\u0007|\u001b\\)|[()][0-9A-B]|[=>78cDEHMNOZ])/g;
const run = promisify(execFile);

/** What the foreground process group of the leader's terminal is doing. Undefined where the system does not tell. */
export async function foreground(leader: number): Promise<Foreground | undefined> {
  if (process.platform !== "linux") return undefined;
  const calls = CALLS[process.arch];
  const group = (await statOf(leader))?.foreground;
  if (group === undefined || calls === undefined) return undefined;
  let best: Foreground = "busy";
  const queue = [group];
  for (let at = 0; at < queue.length && at < MAX_LOOKED_AT; at += 1) {
    const pid = queue[at] ?? 0;
    queue.push(...(await childrenOf(pid)));
    if ((await statOf(pid))?.group !== group) continue;
    const does = await doing(pid, calls);
    if (does === "reads") return "reads";
    if (does === "polls") best = "polls";
  }
  return best;
}

/** Whether what is typed is shown. True when it cannot be found out. */
export async function echoes(terminal: string): Promise<boolean> {
  try {
    const flag = process.platform === "linux" ? "-F" : "-f";
    const { stdout } = await run("stty", [flag, terminal, "-a"], { timeout: STTY_LIMIT_MS });
    return !/(^|\s)-echo(\s|;|$)/.test(stdout);
  } catch {
    return true;
  }
}

/** Does the output end in a line that is not finished: a prompt? Escape sequences are not seen by anybody. */
export function endsUnfinished(tail: Uint8Array): boolean {
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.length).toString("utf8").replace(SEQUENCES, "");
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return line.replaceAll("\r", "").trim() !== "";
}

async function doing(pid: number, calls: { read: number[]; poll: number[] }): Promise<Foreground> {
  let line: string;
  try {
    line = await readFile(`/proc/${pid}/syscall`, "utf8");
  } catch (error) {
    // Another user's, as sudo is: it may well be asking for a password.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "EACCES" || code === "EPERM" ? "reads" : "busy";
  }
  const [call, first] = line.split(" ").map(Number);
  if (call === undefined || first === undefined) return "busy";
  if (calls.read.includes(call)) return (await isTerminal(pid, first)) ? "reads" : "busy";
  if (calls.poll.includes(call)) return (await isTerminal(pid, 0)) ? "polls" : "busy";
  return "busy";
}

async function isTerminal(pid: number, fd: number): Promise<boolean> {
  const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
  return target.startsWith("/dev/pts/") || target === "/dev/tty";
}

async function statOf(pid: number): Promise<{ group: number; foreground: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // state ppid pgrp session tty_nr tpgid, after the name, which may hold anything.
  const [, , group, , , foregroundGroup] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (group === undefined || foregroundGroup === undefined) return undefined;
  return Number(foregroundGroup) > 0
    ? { group: Number(group), foreground: Number(foregroundGroup) }
    : undefined;
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").flatMap((word) => (/^\d+$/.test(word) ? [Number(word)] : []));
}
