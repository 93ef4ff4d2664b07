import { execFile } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
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
/** A pipeline or a build has so many processes at most that are looked at, and they so many threads. */
const MAX_LOOKED_AT = 64;
const MAX_THREADS = 256;
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
  let isHidden = false;
  // The process that gave the group its number may be gone: the rest hangs below the leader, as everything here does.
  const found = new Set([group, leader]);
  let looked = 0;
  let threadsLeft = MAX_THREADS;
  for (const pid of found) {
    looked += 1;
    if (looked > MAX_LOOKED_AT) break;
    const threads = (await threadsOf(pid)).slice(0, threadsLeft);
    threadsLeft -= threads.length;
    for (const child of await childrenOf(pid, threads)) found.add(child);
    if ((await statOf(pid))?.group !== group) continue;
    for (const thread of threads) {
      const does = await doing(pid, thread, calls);
      if (does === "reads") return "reads";
      if (does === undefined) isHidden = true;
      // Any runtime has a thread that waits for events all the time.
      if (does === "polls" && thread === pid) best = "polls";
    }
  }
  return isHidden ? undefined : best;
}

export interface LineModes {
  /** What is typed is shown. */
  echo: boolean;
  /** The terminal hands over whole lines: what reads them wants words and not keys. */
  lines: boolean;
  /**
   * Keys come one by one into a line that a shell edits (readline, zle): they keep Ctrl-C for the kernel, and Ctrl-V for
   * themselves. Programs with a screen of their own take all keys, and scripts that read some leave Ctrl-V alone.
   */
  editsLine: boolean;
}

/** How the terminal takes what is typed. It echoes lines when that cannot be found out. */
export async function lineModes(terminal: string): Promise<LineModes> {
  try {
    const flag = process.platform === "linux" ? "-F" : "-f";
    const { stdout } = await run("stty", [flag, terminal, "-a"], { timeout: STTY_LIMIT_MS });
    const isOn = (name: string) => !new RegExp(`(^|\\s)-${name}(\\s|;|$)`).test(stdout);
    const lines = isOn("icanon");
    const editsLine = !lines && isOn("isig") && isOn("iexten") && /\blnext = <undef>/.test(stdout);
    return { echo: isOn("echo"), lines, editsLine };
  } catch {
    return { echo: true, lines: true, editsLine: false };
  }
}

/**
 * Whoever reads this terminal gets keys as they come, and is no shell at its prompt: those ask nothing, so an answer to what
 * was printed before their prompt would be typed into the next command. Never on a system whose terminals have no path:
 * those answer what programs ask by themselves.
 */
export async function takesAnswers(terminal: string): Promise<boolean> {
  if (terminal === "") return false;
  const { lines, editsLine } = await lineModes(terminal);
  return !lines && !editsLine;
}

/** Does the output end in a line that is not finished: a prompt? Escape sequences are not seen by anybody. */
export function endsUnfinished(tail: Uint8Array): boolean {
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.length).toString("utf8").replace(SEQUENCES, "");
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return line.replaceAll("\r", "").trim() !== "";
}

async function doing(
  pid: number,
  thread: number,
  calls: { read: number[]; poll: number[] },
): Promise<Foreground | undefined> {
  let line: string;
  try {
    line = await readFile(`/proc/${pid}/task/${thread}/syscall`, "utf8");
  } catch (error) {
    return unreadable(error, pid);
  }
  const [call, first] = line.split(" ").map(Number);
  if (call === undefined || first === undefined) return "busy";
  if (calls.read.includes(call)) return (await isTerminal(pid, first)) ? "reads" : "busy";
  if (calls.poll.includes(call)) return (await isTerminal(pid, 0)) ? "polls" : "busy";
  return "busy";
}

/**
 * What is to be thought of a process of which the system does not tell in which call it waits. Another user's, as sudo is, may
 * well be asking for a password. Of our own nothing is known where nobody may look at anybody (kernel.yama.ptrace_scope).
 */
export async function unreadable(
  error: unknown,
  pid: number,
  ownerOf: (pid: number) => Promise<number | undefined> = processOwner,
): Promise<Foreground | undefined> {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "EACCES" && code !== "EPERM") return "busy";
  const owner = await ownerOf(pid);
  if (owner === undefined) return "busy"; // it has gone meanwhile
  return owner === process.getuid?.() ? undefined : "reads";
}

async function processOwner(pid: number): Promise<number | undefined> {
  return (await stat(`/proc/${pid}`).catch(() => undefined))?.uid;
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

/** The first is the main one. */
async function threadsOf(pid: number): Promise<number[]> {
  const names = await readdir(`/proc/${pid}/task`).catch(() => []);
  return names.map(Number);
}

/** A thread's children are its own. */
async function childrenOf(pid: number, threads: readonly number[]): Promise<number[]> {
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "")),
  );
  return lists.flatMap((text) =>
    text
      .split(" ")
      .filter((word) => /^\d+$/.test(word))
      .map(Number),
  );
}
