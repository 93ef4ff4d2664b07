import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../loopback/clock.ts";
import type { LadderStep } from "../../loopback/end-processes.ts";
import { poll } from "../../loopback/testing/poll.ts";
import {
  ENDED_STATUSES,
  OutputQuery,
  RunRequest,
  type OutputResponse,
  type TerminalSession,
} from "../contract/api.ts";
import type { FromBridge } from "../contract/port.ts";
import { ScriptFolder } from "../script-folder.ts";
import { Sessions, type SessionsOptions } from "../sessions.ts";

/** Sessions with a folder of their own and a plain environment, for tests with real shells. */
export interface Terminals {
  sessions: Sessions;
  /** A temporary folder: HOME, and the folder in which commands run. */
  home: string;
  scripts: ScriptFolder;
  messages: FromBridge[];
  problems: string[];
  run(command: string, more?: Partial<RunRequest>): Promise<TerminalSession>;
  /** The session once it has ended. */
  end(id: string, withinMs?: number): Promise<TerminalSession>;
  /** Runs to the end and reads it all, `limit` bytes at a time. */
  finish(command: string, more?: Partial<RunRequest>): Promise<Finished>;
  readAll(id: string, limit?: number): Promise<string>;
  /** As an agent reads. Undefined: no such session. */
  read(id: string, query?: Partial<OutputQuery>): Promise<OutputResponse | undefined>;
  /** What the test stops heeds this signal: it gets the time that a loaded machine needs for that. */
  heeds(signal: LadderStep["signal"]): void;
  /** Waits until the output holds the text, and gives all of it. */
  until(id: string, text: string | RegExp, withinMs?: number): Promise<string>;
  dispose(): Promise<void>;
}

export interface Finished {
  session: TerminalSession;
  output: string;
}

/** The rungs of the product, climbed faster; what is deaf is killed after a second. */
const QUICK_STEPS: readonly LadderStep[] = [
  { signal: "SIGINT", waitMs: 500 },
  { signal: "SIGTERM", waitMs: 500 },
  { signal: "SIGKILL", waitMs: 60_000 },
];
const LONG_MS = 60_000;

export const TEST_MARKER = "test-0123456789";

export async function terminals(options: Partial<SessionsOptions> = {}): Promise<Terminals> {
  const home = await mkdtemp(join(tmpdir(), "bridge-test-"));
  const scripts = await ScriptFolder.create(home);
  const messages: FromBridge[] = [];
  const problems: string[] = [];
  const environment = { HOME: home, PATH: process.env["PATH"] ?? "/usr/bin:/bin", SHELL: "/bin/bash" };
  const steps = QUICK_STEPS.map((step) => ({ ...step }));
  const sessions = new Sessions({
    environment: () => Promise.resolve(environment),
    scripts,
    logFolder: scripts.folder,
    marker: TEST_MARKER,
    clock: systemClock,
    now: () => new Date(),
    tell: (message) => {
      messages.push(message);
    },
    problem: (text) => {
      problems.push(text);
    },
    stopSteps: steps,
    shutdownSteps: steps,
    ...options,
  });
  const run = (command: string, more: Partial<RunRequest> = {}) =>
    sessions.run(RunRequest.parse({ command, agent: "test", cwd: home, ...more }));
  const end = (id: string, withinMs?: number) =>
    poll(
      `${id} ended`,
      () => sessions.list().find((row) => row.session_id === id && ENDED_STATUSES.includes(row.status)),
      withinMs,
    );
  const read = (id: string, query: Partial<OutputQuery> = {}) =>
    sessions.answer(id, OutputQuery.parse(query), new AbortController().signal);
  const readAll = async (id: string, limit = 65_536) => {
    let output = "";
    let offset = 0;
    for (;;) {
      const page = await read(id, { offset, limit });
      if (page === undefined) throw new Error(`no session ${id}`);
      output += page.output;
      offset = page.next;
      if (!page.has_more) return output;
    }
  };
  return {
    sessions,
    home,
    scripts,
    messages,
    problems,
    run,
    end,
    readAll,
    read,
    finish: async (command, more) => {
      const { session_id } = await run(command, more);
      const session = await end(session_id);
      return { session, output: await readAll(session_id) };
    },
    heeds: (signal) => {
      for (const step of steps) if (step.signal === signal) step.waitMs = LONG_MS;
    },
    until: (id, text, withinMs) =>
      poll(
        `${String(text)} in the output`,
        async () => {
          const output = await readAll(id);
          return (typeof text === "string" ? output.includes(text) : text.test(output)) ? output : undefined;
        },
        withinMs,
      ),
    dispose: async () => {
      await sessions.shutdown();
      await scripts.dispose();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** How many pty masters this process holds open. Linux only. */
export async function openPtys(): Promise<number> {
  const targets = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return targets.filter((target) => target.startsWith("/dev/ptmx") || target.startsWith("/dev/pts/")).length;
}
