import { systemClock, within } from "./clock.ts";
import { ownProcessEnv, type NodeProgram } from "./environment.ts";
import { launch } from "./launch.ts";
import { readLines } from "./lines.ts";
import { MAX_LINE_CHARS, parseReply, type ReaperReply, type ReaperRequest } from "./reaper-records.ts";
import { stopChild } from "./stop-ladder.ts";

export class ReaperError extends Error {
  override readonly name = "ReaperError";
}

export interface ReaperEnd {
  /** Pids of what the reaper still had to end. */
  ended: number[];
  /** Pids of what it could not end. */
  survivors: number[];
}

type Body<T> = T extends { n: number } ? Omit<T, "n"> : never;
export type ReaperQuestion = Body<ReaperRequest>;
type Answer = Extract<ReaperReply, { ok: true }>;

/** One running reaper process. */
export interface ReaperConnection {
  pid: number;
  /** @throws ReaperError when it refuses, does not answer (it is killed then) or has gone */
  ask(question: ReaperQuestion): Promise<Answer>;
  /** Resolves with the reason when the process has exited. */
  gone: Promise<ReaperError>;
  hasGone(): boolean;
  /** Closes the pipe, and waits until the reaper has done its work and gone. */
  end(): Promise<ReaperEnd>;
  kill(): void;
}

const ANSWER_WITHIN_MS = 10_000;
const END_WITHIN_MS = 5_000;
const STDERR_TAIL_CHARS = 2_000;

/** @throws LaunchError */
export function openReaper(program: NodeProgram): ReaperConnection {
  // Not marked with the session: it must not find itself. In the root folder, so that it keeps nothing from being unmounted.
  const { command, args, extra } = program;
  const child = launch({ command, args, cwd: "/", env: ownProcessEnv({ extra }) });
  const pending = new Map<number, { resolve(answer: Answer): void; reject(error: ReaperError): void }>();
  let count = 0;
  let stderr = "";
  let last: ReaperEnd = { ended: [], survivors: [] };
  let exited = false;

  const gone = new Promise<ReaperError>((resolve) => {
    // close, not exit: by then its last line has been read.
    child.once("close", (code, signal) => {
      exited = true;
      const error = new ReaperError(`the reaper ended (${signal ?? code}) ${stderr.trim()}`.trim());
      resolve(error);
      for (const waiting of pending.values()) waiting.reject(error);
      pending.clear();
    });
  });
  child.stdin.on("error", () => {
    // It has gone; that is told by `gone`.
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARS);
  });
  readLines(child.stdout, MAX_LINE_CHARS, (line) => {
    const reply = line === undefined ? undefined : readReply(line);
    if (reply === undefined) child.kill("SIGKILL");
    else if ("ended" in reply) last = reply;
    else if (reply.ok) pending.get(reply.n)?.resolve(reply);
    else pending.get(reply.n)?.reject(new ReaperError(`the reaper refused: ${reply.why}`));
  });

  const ask = async (question: ReaperQuestion): Promise<Answer> => {
    if (exited) throw await gone;
    count += 1;
    const n = count;
    const answer = new Promise<Answer>((resolve, reject) => pending.set(n, { resolve, reject }));
    child.stdin.write(`${JSON.stringify({ n, ...question })}\n`);
    try {
      if (await within(answer, ANSWER_WITHIN_MS, systemClock)) return await answer;
      child.kill("SIGKILL");
      throw new ReaperError(`the reaper did not answer within ${ANSWER_WITHIN_MS} ms`);
    } finally {
      pending.delete(n);
    }
  };
  const end = async (): Promise<ReaperEnd> => {
    await stopChild(child, { times: { afterStdinCloseMs: END_WITHIN_MS, afterTermMs: 0 } });
    await gone;
    return last;
  };
  return { pid: child.pid ?? 0, ask, gone, hasGone: () => exited, end, kill: () => child.kill("SIGKILL") };
}

function readReply(line: string): ReaperReply | undefined {
  try {
    return parseReply(line);
  } catch {
    // Not our reaper's words; the caller ends it.
    return undefined;
  }
}
