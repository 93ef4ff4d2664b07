import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import * as z from "zod/v4";
import { unhurriedClock } from "../../loopback/testing/within.ts";
import { handshakeAgent } from "../agents/handshake.ts";
import { launchApp } from "../launch.ts";
import { waitForQuestion } from "../pages/consent-window.ts";
import { processesByPid, processTree, processesWithEnv, stillAlive, type Process } from "../processes.ts";

/** The promise: nothing of ours is left this long after the app was killed, on a machine that has time. */
export const GONE_WITHIN_MS = 2_000;
/** However loaded it is. */
const AT_MOST_MS = 60_000;
const STARTED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 25;

export interface KillRound {
  /** How many processes belonged to the app when it was killed. */
  processes: number;
  /** From the kill to the first look that found none of them, in ms. */
  goneAfterMs: number;
  /** What was left after the promised time. */
  survivors: string[];
  /** Processes of somebody else, made to look like ours, that did not live through it. */
  strangersLost: number;
}

/** Two processes that no group kill reaches, deaf to INT, TERM and HUP; the second has shed its environment as well. */
const deaf = (file: string) =>
  `use POSIX "setsid"; exit if fork; setsid; exit if fork; $SIG{$_} = "IGNORE" for qw(INT TERM HUP); open F, ">>", "${file}"; print F "$$\\n"; close F; sleep 600 while 1`;
const command = (file: string) =>
  `perl -e '${deaf(file)}'\nenv -i perl -e '${deaf(file)}' </dev/null >/dev/null 2>&1\ntrap '' TERM HUP INT\nsleep 600; sleep 600`;

/**
 * Starts the app with so many terminals whose children double-fork and ignore every polite signal, kills it with -9, and
 * looks what becomes of them and of processes that only look alike.
 */
export async function killRound(terminals: number): Promise<KillRound> {
  const folder = await mkdtemp(join(tmpdir(), "kill-round-"));
  const strangers: ChildProcess[] = [];
  try {
    const file = join(folder, "pids");
    strangers.push(...lookAlikes(join(folder, "strangers")));
    const strangerRows = await rowsOf(join(folder, "strangers"), strangers.length);
    const app = await launchApp({ flags: ["--allow-writes", "--terminals"], userDataDir: join(folder, "p") });
    const gone = new Promise<void>((done) => app.electron.process().once("exit", () => done()));
    const agent = await handshakeAgent(app.connection.mcp.url, app.token);
    const run = async () => {
      const args = { command: command(file), shell: "/bin/sh", cwd: "/" };
      const answer = await agent.call("ironflow_terminal_run", args);
      if (answer.isError) throw new Error(answer.text);
      return z.looseObject({ session_id: z.string() }).parse(answer.structured);
    };
    const first = run();
    await (await waitForQuestion(app, "Run a command in a terminal")).approve();
    await first;
    for (let count = 1; count < terminals; count += 1) await run();
    const escaped = await rowsOf(file, 2 * terminals);
    const ours = await everythingOf(app.connection.pid, escaped);

    const beganMs = performance.now();
    const passedMs = await unhurriedClock();
    process.kill(app.connection.pid, "SIGKILL");
    let left = ours;
    while (
      left.length > 0 &&
      (await passedMs()) < GONE_WITHIN_MS &&
      performance.now() - beganMs < AT_MOST_MS
    ) {
      await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
      left = await stillAlive(left);
    }
    const goneAfterMs = Math.round(performance.now() - beganMs);
    await gone;
    await agent.close().catch(() => {}); // whom it spoke to is dead
    return {
      processes: ours.length,
      goneAfterMs,
      survivors: await Promise.all(left.map(described)),
      strangersLost: strangerRows.length - (await stillAlive(strangerRows)).length,
    };
  } finally {
    for (const stranger of strangers) stranger.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What a process that should be gone is doing. */
async function described({ pid, command: line }: Process): Promise<string> {
  const [wchan, stat] = await Promise.all(
    ["wchan", "stat"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "")),
  );
  return `${pid} ${line.slice(0, 120)} (${wchan || "?"}, ${stat?.slice(stat.lastIndexOf(")") + 2, -1) ?? ""})`;
}

/** Somebody else's: the same program, as deaf, in sessions of their own, one with another launch's marks. */
function lookAlikes(file: string): ChildProcess[] {
  const program = `$SIG{$_} = "IGNORE" for qw(INT TERM HUP); open F, ">>", "${file}"; print F "$$\\n"; close F; sleep 600 while 1`;
  const PATH = process.env["PATH"] ?? "/usr/bin:/bin";
  const marks = { IRONBRIDGE_SESSION: "another-life-of-it", IRONBRIDGE_TERMINAL: "term_anotherone" };
  return [{ PATH }, { PATH, ...marks }].map((env) =>
    spawn("perl", ["-e", program], { detached: true, stdio: "ignore", env }),
  );
}

async function rowsOf(file: string, count: number): Promise<Process[]> {
  const deadlineMs = performance.now() + STARTED_WITHIN_MS;
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    const pids = text.split("\n").filter(Boolean).map(Number);
    if (pids.length >= count) return processesByPid(pids);
    if (performance.now() > deadlineMs) throw new Error(`only ${pids.length} of ${count} came up`);
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  }
}

/** The tree below main, whatever carries the mark of its launch, and what escaped from both. */
async function everythingOf(main: number, escaped: readonly Process[]): Promise<Process[]> {
  const tree = await processTree(main);
  let marker = "";
  for (const { pid } of tree) {
    const environ = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    marker = environ.split("\0").find((entry) => entry.startsWith("IRONBRIDGE_SESSION=")) ?? marker;
  }
  const marked = await processesWithEnv(marker);
  return [...new Map([...tree, ...marked, ...escaped].map((one) => [one.pid, one])).values()];
}
