import { createHash } from "node:crypto";
import { SESSION_MARKER, TERMINAL_MARKER } from "./environment.ts";
import { readOf } from "./proc.ts";

/*
 * A process can clear its environment, leave its session and its parent (`env -i setsid …`), and still carries this: the
 * launcher writes our two marks, as numbers, into its limit on file locks. Linux has not used that limit since 2.4.25, but a
 * child inherits it, `exec` keeps it, and nobody but root can raise a hard one. /proc shows it of every process. Within a
 * terminal of another app of ours the hard one is the outer app's and stays so.
 */

/** The two numbers, in decimal. `hard` tells the life of the app, `soft` the terminal; the same as `hard` where there is none. */
export interface LastingMarks {
  hard: string;
  soft: string;
}

/** Sessions' numbers begin here, terminals' at half of it: no real limit is so high, and soft ones must stay below hard ones. */
const SESSIONS_FROM = 1n << 62n;
const TERMINALS_FROM = 1n << 61n;
const LIMIT = /^Max file locks +(\d+|unlimited) +(\d+|unlimited)/m;

/** What the launcher marks a child with that gets this environment; undefined without our marker. */
export function lastingMarks(env: Readonly<Record<string, string | undefined>>): LastingMarks | undefined {
  const session = env[SESSION_MARKER];
  const terminal = env[TERMINAL_MARKER];
  if (session === undefined) return undefined;
  const hard = markOf(`${SESSION_MARKER}=${session}`);
  return { hard, soft: terminal === undefined ? hard : markOf(`${TERMINAL_MARKER}=${terminal}`) };
}

/**
 * What a process's limits say; undefined where that is no mark of ours, or is not told. Linux only.
 * @throws when /proc cannot be read now
 */
export function lastingMarksOf(pid: number): LastingMarks | undefined {
  const limits = readOf(pid, "limits");
  return limits === undefined ? undefined : parseLimits(limits);
}

/** The marks in a text of /proc/<pid>/limits. */
export function parseLimits(text: string): LastingMarks | undefined {
  const [, soft = "0", hard = "unlimited"] = LIMIT.exec(text) ?? [];
  if (hard === "unlimited" || BigInt(hard) < SESSIONS_FROM) return undefined;
  return { hard, soft };
}

/** Do these marks stand for `NAME=value`, one of our two markers? */
export function standFor(marks: LastingMarks | undefined, entry: string): boolean {
  if (marks === undefined) return false;
  const mark = markOf(entry);
  return entry.startsWith(`${TERMINAL_MARKER}=`) ? marks.soft === mark : marks.hard === mark;
}

/** Are these the marks of a process of a terminal, whichever? */
export function areOfTerminal(marks: LastingMarks | undefined): boolean {
  if (marks === undefined) return false;
  const soft = BigInt(marks.soft);
  return soft >= TERMINALS_FROM && soft < SESSIONS_FROM;
}

function markOf(entry: string): string {
  const from = entry.startsWith(`${TERMINAL_MARKER}=`) ? TERMINALS_FROM : SESSIONS_FROM;
  const hash = createHash("sha256").update(entry).digest().readBigUInt64BE();
  return (from + (hash % from)).toString();
}
