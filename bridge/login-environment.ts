import { randomUUID } from "node:crypto";
import * as z from "zod/v4";
import { systemClock, within } from "../loopback/clock.ts";
import { launch, LaunchError } from "../loopback/launch.ts";
import { stopChild } from "../loopback/stop-ladder.ts";
import { TERMINAL_LIMITS } from "./contract/api.ts";
import { withoutOurs } from "./terminal-environment.ts";

/** An interactive shell ignores SIGTERM, its children may not: what is left after this is killed, in ms. */
const AFTER_TERM_MS = 500;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

const Variables = z.record(z.string(), z.string());

export interface LoginEnvironmentOptions {
  /** Absolute path of the person's shell. */
  shell: string;
  /** Absolute. */
  cwd: string;
  /** What the login shell starts from. */
  from: Readonly<Record<string, string | undefined>>;
  /** Gives up at once when aborted. */
  signal?: AbortSignal;
  limitMs?: number;
}

export interface LoginEnvironment {
  env: Record<string, string>;
  /** Why `env` is what it started from instead of the login shell's, or undefined. */
  problem: string | undefined;
}

/**
 * The environment that the person's terminal would have: an interactive login shell runs this program's Node, which prints
 * its own environment as JSON between two marks, so neither greetings nor line breaks in values are in the way. Falls back to
 * what it started from, with the reason. Never rejects; the shell and all its children are gone afterwards.
 */
export async function loginEnvironment(options: LoginEnvironmentOptions): Promise<LoginEnvironment> {
  const from = withoutOurs(options.from);
  try {
    return { env: withoutOurs(await ask(options, from)), problem: undefined };
  } catch (error) {
    return { env: from, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function ask(
  options: LoginEnvironmentOptions,
  from: Record<string, string>,
): Promise<Record<string, string>> {
  const { shell, cwd, signal, limitMs = TERMINAL_LIMITS.loginEnvironmentMs } = options;
  const mark = randomUUID();
  const child = start(shell, cwd, from, mark);
  try {
    const answer = new Promise<string>((resolve, reject) => {
      let output = "";
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const parts = output.split(mark);
        if (parts.length === 3) resolve(parts[1] ?? "");
        else if (output.length > MAX_OUTPUT_BYTES) reject(new Error(`${shell} printed too much at login`));
      });
      child.stdout?.once("end", () => {
        reject(new Error(`${shell} ended at login without an answer`));
      });
      signal?.addEventListener("abort", () => {
        reject(new Error("given up"));
      });
      if (signal?.aborted === true) reject(new Error("given up"));
    });
    if (!(await within(answer, limitMs, systemClock)))
      throw new Error(`${shell} took longer than ${limitMs} ms at login`);
    return Variables.parse(JSON.parse(await answer));
  } finally {
    child.stdout?.destroy();
    await stopChild(child, { times: { afterTermMs: AFTER_TERM_MS } });
  }
}

function start(shell: string, cwd: string, env: Record<string, string>, mark: string) {
  const program = `process.stdout.write("${mark}"+JSON.stringify(process.env)+"${mark}")`;
  // POSIX shells and fish read this line alike. `env`, because they set a variable for one command in different ways.
  const line = `/usr/bin/env ELECTRON_RUN_AS_NODE=1 ${quoted(process.execPath)} -e ${quoted(program)}`;
  try {
    return launch({ command: shell, args: ["-ilc", line], cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    throw error instanceof LaunchError ? error : new Error(`${shell} could not be started`, { cause: error });
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
