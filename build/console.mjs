// How the scripts of this folder speak: named steps, elapsed seconds on the long ones, one sentence on failure.
import { constants } from "node:os";

/** A failure whose message is one sentence that tells the person what to do; printed without a stack. */
export class Problem extends Error {
  exitCode = 1;
}

/** The script was called in a way that it does not understand; told apart from what it looks for and found. */
export class BadArgument extends Problem {
  /** @override */
  exitCode = 2;
}

/** What somebody wanted to read instead of running the script: no failure. */
export class Answer extends Error {}

const PROGRESS_EVERY_MS = 5_000;
const PARENT_CHECK_MS = 250;

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {number} sinceMs a value of `Date.now()` */
export function elapsed(sinceMs) {
  const ms = Date.now() - sinceMs;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/**
 * Runs one named step: says its name, how long it has been running every few seconds, and how long it took.
 * @template T
 * @param {string} name
 * @param {(detail: (text: string) => void) => Promise<T> | T} work `detail` sets what the progress line adds
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  const start = Date.now();
  let detail = "";
  say(`${name} ...`);
  const timer = setInterval(() => {
    say(`  ... ${elapsed(start)}${detail === "" ? "" : `, ${detail}`}`);
  }, PROGRESS_EVERY_MS);
  try {
    const result = await work((text) => {
      detail = text;
    });
    say(`${name}: done in ${elapsed(start)}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/**
 * The frame of every script: a Problem is printed as its sentence, anything else with its stack; neither ends with code 0.
 * @param {() => Promise<number | void> | number | void} main returns the exit code, nothing means 0
 */
export async function runScript(main) {
  // A terminal that was closed, or a pipe that nobody reads any more, is no reason to leave children behind.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  endWithNpm();
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (error instanceof Answer) {
      say(error.message);
      return;
    }
    process.exitCode = error instanceof Problem ? error.exitCode : 1;
    process.stderr.write(`${error instanceof Problem ? error.message : describe(error)}\n`);
  }
}

/**
 * npm passes a signal on to the shell that it started us by, and that shell dies of it without telling anybody. So a
 * script of npm's whose parent is gone takes it as the signal that it was.
 */
function endWithNpm() {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Ctrl-C, an end that was asked for, and a terminal that was closed. */
export const END_SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/**
 * Lets a signal end the process through its exit handlers, which release locks and end children; by default it would
 * be gone at once.
 * @template T
 * @param {() => Promise<T>} work while which it does so
 * @returns {Promise<T>}
 */
export async function endedBySignals(work) {
  const end = (/** @type {NodeJS.Signals} */ signal) => process.exit(128 + constants.signals[signal]);
  for (const signal of END_SIGNALS) process.on(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of END_SIGNALS) process.off(signal, end);
  }
}

/** @param {unknown} error */
function describe(error) {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
