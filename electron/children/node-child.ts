import { systemClock, within } from "../../loopback/clock.ts";
import { launch } from "../../loopback/launch.ts";
import { nodeProgram, ownProcessEnv } from "../../loopback/environment.ts";
import { stopChild } from "../../loopback/stop-ladder.ts";
import { logLine } from "../log.ts";
import { endSentence, lastWords } from "./last-words.ts";
import type { ProcessRecords } from "./process-records.ts";
import { readyLine } from "./ready-line.ts";

const LAST_WORDS_MS = 250;

export interface NodeChildOptions {
  /** As sentences name it: "engine". */
  readonly name: string;
  /** Absolute path of its bundled entry. */
  readonly entry: string;
  readonly args: readonly string[];
  /** What this child needs and nobody else may see. */
  readonly env: Readonly<Record<string, string>>;
  /** Identifier of this life of the app. */
  readonly session: string;
  readonly cwd: string;
  readonly records: ProcessRecords;
  /** What it says once it answers, followed by JSON. Default "ready". */
  readonly readyWord?: string;
  /** How long that may take, in ms. */
  readonly readyWithinMs: number;
}

export interface NodeChild {
  /** What it said after `ready`. */
  readonly ready: unknown;
  readonly pid: number;
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts one of our own programs that says `ready {json}` on stdout once it answers, and ends when its stdin does.
 * @param signal ends it while it starts
 * @throws Error with a sentence: it could not be started, ended before it was ready, or was not ready in time
 */
export async function startNodeChild(options: NodeChildOptions, signal: AbortSignal): Promise<NodeChild> {
  signal.throwIfAborted();
  const program = nodeProgram(options.entry, options.args);
  const env = ownProcessEnv({ session: options.session, extra: { ...program.extra, ...options.env } });
  const child = launch({ command: program.command, args: program.args, cwd: options.cwd, env });
  const pid = child.pid ?? 0; // launch throws where there is none
  options.records.started(pid);

  const words = lastWords(options.name, ({ level, message }) => logLine(level, options.name, message));
  child.stderr.setEncoding("utf8").on("data", words.take);
  const closed = new Promise<void>((done) => child.once("close", () => done()));
  const exited = new Promise<{ code: number | null; signal: string | null }>((done) => {
    child.once("exit", (code, endedBy) => {
      options.records.ended(pid);
      done({ code, signal: endedBy });
    });
  });
  const ended = exited.then(async (exit) => {
    // Its last words may still be in the pipe; somebody else may hold that pipe open.
    await within(closed, LAST_WORDS_MS, systemClock);
    return endSentence(options.name, exit, words.text);
  });
  const stop = async () => {
    const report = await stopChild(child);
    if (report.outcome === "not-confirmed")
      throw new Error(`The ${options.name} (pid ${pid}) could not be ended.`);
  };

  try {
    const ready = await readyLine(child.stdout, ended, {
      name: options.name,
      word: options.readyWord ?? "ready",
      withinMs: options.readyWithinMs,
      signal,
    });
    return { ready, pid, ended, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}
