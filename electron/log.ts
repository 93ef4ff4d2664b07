import { StartProblem } from "./start-problem.ts";

/**
 * The log of main: one line each to stderr, nothing to stdout (that belongs to `ready`). What is passed in must hold no
 * secret; tokens are never part of an error here.
 */
export function logInfo(part: string, message: string): void {
  write("info", part, message);
}

/** @param cause what was thrown; its stack is for developers and goes to the log only */
export function logError(part: string, message: string, cause?: unknown): void {
  write("error", part, cause === undefined ? message : `${message}: ${describe(cause)}`);
}

/** One line whose level somebody else has chosen. */
export function logLine(level: "info" | "error", part: string, message: string): void {
  write(level, part, message);
}

/** The sentence of anything thrown, for people: no stack. */
export function sentenceOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof StartProblem) return cause.message;
  const inner = cause.cause === undefined ? "" : `; because ${describe(cause.cause)}`;
  return `${cause.stack ?? cause.message}${inner}`;
}

function write(level: "info" | "error", part: string, message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${part}: ${message}\n`);
}
