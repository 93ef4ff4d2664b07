import { fork, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { carriesEntry, listProcesses, sameProcess } from "../loopback/processes.ts";
import { isAlive } from "../loopback/testing/alive.ts";
import { bundleEntry, type Bundle } from "../loopback/testing/bundle.ts";
import { poll } from "../loopback/testing/poll.ts";
import { ListResponse, OutputResponse, RunResponse } from "./contract/api.ts";
import { FromBridge, type ToBridge } from "./contract/port.ts";

const TOKEN = "ibb_0123456789012345678901234567890123456789";
const MARKER = "11111111-2222-4333-8444-555555555555";
const DEAF_DOUBLE_FORK = `perl -e 'use POSIX "setsid"; exit if fork; setsid; exit if fork; $SIG{$_} = "IGNORE" for qw(INT TERM HUP); sleep 600 while 1' & sleep 600`;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleEntry(new URL("./main.ts", import.meta.url));
});
afterAll(() => bundle.remove());

let home: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "bridge-main-"));
});
afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child?.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** The entry as a real process under plain Node, with its channel. */
async function start(
  env: Record<string, string> = {
    IRONBRIDGE_BRIDGE_TOKEN: TOKEN,
    IRONBRIDGE_SESSION: MARKER,
    IRONBRIDGE_BRIDGE_LOGS: join(home, "logs"),
  },
) {
  const started = fork(bundle.file, [], {
    env: {
      HOME: home,
      TMPDIR: home,
      SHELL: "/bin/bash",
      PATH: process.env["PATH"],
      IRONBRIDGE_OTHER: "x",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child = started;
  const messages: FromBridge[] = [];
  let stderr = "";
  started.on("message", (message) => messages.push(FromBridge.parse(message)));
  started.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = new Promise<number | null>((resolve) => started.once("exit", resolve));
  const of = <T extends FromBridge["type"]>(type: T) =>
    messages.filter((message): message is Extract<FromBridge, { type: T }> => message.type === type);
  return {
    started,
    exited,
    messages,
    of,
    stderr: () => stderr,
    say: (message: ToBridge) => started.send(message),
    url: () => poll("listening", () => of("listening")[0]?.url),
  };
}

async function call(url: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return response.json();
}

const run = async (url: string, command: string) =>
  RunResponse.parse(await call(url, "/v1/sessions", { command, agent: "test" }));

describe("the bridge's process", () => {
  it("runs commands in the login shell's environment, without anything of ours but the markers", async () => {
    await writeFile(join(home, ".bash_profile"), "export FROM_PROFILE='a b'");
    const bridge = await start();
    const url = await bridge.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { session_id } = await run(url, "env | sort; exit 9");
    const read = await poll("exited", async () => {
      const output = OutputResponse.parse(await call(url, `/v1/sessions/${session_id}/output`));
      return output.status === "exited" ? output : undefined;
    });
    expect(read.exit_code).toBe(9);
    const env = read.output.split("\r\n");
    expect(env).toContain("FROM_PROFILE=a b");
    expect(env.filter((line) => line.startsWith("IRONBRIDGE_"))).toEqual([
      `IRONBRIDGE_SESSION=${MARKER}`,
      `IRONBRIDGE_TERMINAL=${session_id}`,
    ]);
    expect(read.output).not.toContain(TOKEN);
  });

  it("tells main the sessions, and the process of each with the start time that identifies it", async () => {
    const bridge = await start();
    const { session_id } = await run(await bridge.url(), "sleep 600");
    const started = await poll("started", () => bridge.of("process")[0]);
    expect(started.event).toBe("started");
    expect(await sameProcess({ pid: started.pid, startTime: started.start_time })).toBe(true);
    await poll("listed", () => bridge.of("sessions").at(-1)?.sessions[0]?.status === "running");

    bridge.say({ type: "stop", request_id: 1, session_id });
    expect(await poll("stopped", () => bridge.of("stopped")[0])).toMatchObject({
      request_id: 1,
      response: { outcome: "after_int", alive: 0 },
    });
    expect(bridge.of("process").at(-1)).toEqual({ ...started, event: "ended" });
    await poll("listed", () => bridge.of("sessions").at(-1)?.sessions[0]?.status === "stopped_by_user");
    expect(isAlive(started.pid)).toBe(false);

    bridge.say({ type: "close", request_id: 2, session_id });
    expect(await poll("closed", () => bridge.of("closed")[0])).toMatchObject({ request_id: 2, closed: true });
    await poll("listed", () => bridge.of("sessions").at(-1)?.sessions.length === 0);
  });

  it("sends the list once for many changes", async () => {
    const bridge = await start();
    const url = await bridge.url();
    await Promise.all(Array.from({ length: 20 }, () => run(url, "true")));
    await poll("all ended", () => {
      const last = bridge.of("sessions").at(-1)?.sessions ?? [];
      return last.length === 20 && last.every((session) => session.status === "exited");
    });
    expect(bridge.of("sessions").length).toBeLessThan(40);
  });

  it("answers about sessions that are not there, and goes on after a message that it does not understand", async () => {
    const bridge = await start();
    const session_id = "term_nosuchone";
    bridge.started.send({ type: "attach", request_id: 9, session_id: "nonsense" });
    bridge.say({ type: "attach", request_id: 3, session_id });
    bridge.say({ type: "stop", request_id: 4, session_id });
    bridge.say({ type: "close", request_id: 5, session_id });
    expect(await poll("attached", () => bridge.of("attached")[0])).toMatchObject({
      request_id: 3,
      attached: false,
    });
    expect(await poll("stopped", () => bridge.of("stopped")[0])).toMatchObject({
      request_id: 4,
      response: null,
    });
    expect(await poll("closed", () => bridge.of("closed")[0])).toMatchObject({
      request_id: 5,
      closed: false,
    });
    await poll("named", () => bridge.stderr().includes("session_id: must look like term_"));
    expect(ListResponse.parse(await call(await bridge.url(), "/v1/sessions"))).toEqual({ sessions: [] });
  });

  it("keeps output that memory has no room for in the folder that it was told, private, and removes what another left there", async () => {
    const logs = join(home, "logs");
    const left = join(logs, `ironbridge-terminals-${process.ppid}-abcdef`);
    const elsewhere = join(home, `ironbridge-terminals-${process.ppid}-abcdef`);
    for (const folder of [left, elsewhere]) await mkdir(folder, { recursive: true });
    await writeFile(join(left, "term_x.log"), "x");
    const bridge = await start();
    const url = await bridge.url();
    const own = await readdir(logs);
    expect(own).toEqual([expect.stringContaining(`ironbridge-terminals-${bridge.started.pid}-`)]);
    const folder = join(logs, own[0] ?? "");
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(elsewhere)).toEqual([]); // of a bridge that runs, as far as its number tells
    const { session_id } = await run(url, "head -c 20000000 /dev/zero; sleep 600");
    const file = join(folder, `${session_id}.log`);
    const { mode } = await poll("spilled", () => stat(file).catch(() => undefined));
    expect(mode & 0o777).toBe(0o600);
    expect(await readdir(bridge.of("listening")[0]?.folder ?? "")).toEqual([session_id]);
    bridge.say({ type: "shutdown" });
    expect(await bridge.exited).toBe(0);
    expect(await readdir(logs)).toEqual([]);
  });

  it("starts although the folder that it was told cannot be made, and says so", async () => {
    await writeFile(join(home, "logs"), "somebody's file");
    const bridge = await start();
    const { session_id } = await run(await bridge.url(), "head -c 20000000 /dev/zero; sleep 600");
    const { folder } = await poll("listening", () => bridge.of("listening")[0]);
    await poll("spilled", () => stat(join(folder, `${session_id}.log`)).catch(() => undefined));
    expect(bridge.stderr()).toContain("older output is kept with the scripts: ");
  });

  it.each([
    ["told to", (bridge: Awaited<ReturnType<typeof start>>) => bridge.say({ type: "shutdown" })],
    ["its parent is gone", (bridge: Awaited<ReturnType<typeof start>>) => bridge.started.disconnect()],
  ])("ends every process, removes its folder and exits when %s", async (_when, stop) => {
    const bridge = await start();
    const url = await bridge.url();
    await Promise.all([run(url, DEAF_DOUBLE_FORK), run(url, "sleep 600")]);
    const pids = await poll("four processes", async () => {
      const found = await markedProcesses();
      return found.length >= 4 ? found : undefined;
    });
    expect(await readdir(home)).toContainEqual(expect.stringMatching(/^ironbridge-terminals-/));
    stop(bridge);
    expect(await bridge.exited).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await markedProcesses()).toEqual([]);
    expect((await readdir(home)).filter((name) => name.startsWith("ironbridge-"))).toEqual([]);
  });

  it.each([
    ["token", { IRONBRIDGE_SESSION: MARKER }, "IRONBRIDGE_BRIDGE_TOKEN: "],
    [
      "long enough token",
      { IRONBRIDGE_BRIDGE_TOKEN: "short", IRONBRIDGE_SESSION: MARKER },
      "IRONBRIDGE_BRIDGE_TOKEN: ",
    ],
    ["marker", { IRONBRIDGE_BRIDGE_TOKEN: TOKEN }, "IRONBRIDGE_SESSION: "],
    [
      "folder for logs",
      { IRONBRIDGE_BRIDGE_TOKEN: TOKEN, IRONBRIDGE_SESSION: MARKER },
      "IRONBRIDGE_BRIDGE_LOGS: ",
    ],
    [
      "whole path of that folder",
      { IRONBRIDGE_BRIDGE_TOKEN: TOKEN, IRONBRIDGE_SESSION: MARKER, IRONBRIDGE_BRIDGE_LOGS: "logs" },
      "IRONBRIDGE_BRIDGE_LOGS: must be an absolute path",
    ],
  ])("does not start without a %s, and names the variable", async (_what, env, named) => {
    const bridge = await start(env);
    expect(await bridge.exited).toBe(1);
    expect(bridge.of("fatal")[0]?.reason).toContain(named);
    expect(bridge.stderr()).not.toContain(TOKEN);
  });
});

/** Processes that carry the marker, the bridge itself excepted. */
async function markedProcesses(): Promise<number[]> {
  const rows = await listProcesses();
  return rows
    .filter(
      (row) => !row.zombie && row.pid !== child?.pid && carriesEntry(row.pid, `IRONBRIDGE_SESSION=${MARKER}`),
    )
    .map((row) => row.pid);
}
