import { fork, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { RunResponse } from "../bridge/contract/api.ts";
import { FromBridge, type ToBridge } from "../bridge/contract/port.ts";
import { bundleEntry, type Bundle } from "../loopback/testing/bundle.ts";
import { poll } from "../loopback/testing/poll.ts";
import { openTerminalHistory, type TerminalHistory } from "./terminal-history.ts";

/** What the history says of what the real bridge tells, and does not tell any more because it is gone. */

const TOKEN = "ibb_0123456789012345678901234567890123456789";
const MARKER = "11111111-2222-4333-8444-666666666666";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleEntry(new URL("../bridge/main.ts", import.meta.url));
});
afterAll(() => bundle.remove());

let home: string;
let child: ChildProcess;
let exited: Promise<number | null>;
let url: string;
let history: TerminalHistory;
const messages: FromBridge[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "history-bridge-"));
  history = openTerminalHistory(join(home, "terminals.json"), () => new Date());
  messages.length = 0;
  child = fork(bundle.file, [], {
    env: {
      HOME: home,
      TMPDIR: home,
      SHELL: "/bin/bash",
      PATH: process.env["PATH"],
      IRONBRIDGE_BRIDGE_TOKEN: TOKEN,
      IRONBRIDGE_SESSION: MARKER,
      IRONBRIDGE_BRIDGE_LOGS: join(home, "logs"),
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  child.on("message", (raw) => {
    const message = FromBridge.parse(raw);
    messages.push(message);
    if (message.type === "sessions") history.follow(message.sessions);
  });
  // What it told last comes before the end of the channel.
  const told = new Promise((resolve) => child.once("disconnect", resolve));
  const over = new Promise<number | null>((resolve) => child.once("exit", resolve));
  exited = told.then(() => over);
  url = await poll("it listens", () => of("listening")?.url);
});
afterEach(async () => {
  child.kill("SIGKILL");
  await exited;
  history.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

const of = <T extends FromBridge["type"]>(type: T) =>
  messages.find((message): message is Extract<FromBridge, { type: T }> => message.type === type);
const say = (message: ToBridge) => child.send(message);
const record = (id: string) => history.list().find((one) => one.session_id === id);

async function run(command: string): Promise<string> {
  const response = await fetch(`${url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ command, agent: "test", cwd: home }),
  });
  return RunResponse.parse(await response.json()).session_id;
}

const TWO_DAEMONS =
  "trap '' HUP; for n in 1 2; do (setsid sleep 600 </dev/null >/dev/null 2>&1 &); done; exit 0";

test("[B3] what a closed tab left behind is proved gone: closing it ended that", async () => {
  const id = await run(TWO_DAEMONS);
  await poll("both are counted", () => record(id)?.left_behind === 2);
  say({ type: "close", request_id: 1, session_id: id });
  await poll("closed", () => of("closed"));
  expect(record(id)).toMatchObject({ status: "exited", left_behind: 0, proof: "reaped" });
});

test("[B3] what ran in a tab that is closed is proved gone", async () => {
  const id = await run("sleep 600");
  say({ type: "close", request_id: 1, session_id: id });
  await poll("closed", () => of("closed"));
  expect(record(id)).toMatchObject({ status: "stopped_by_user", left_behind: 0, proof: "reaped" });
});

test("[B3] a quit proves the end of all that ran, and of what had ended before and left something", async () => {
  const left = await run(TWO_DAEMONS);
  const ids = await Promise.all(["sleep 600", "sleep 600", "trap '' INT; sleep 600"].map(run));
  await poll("both are counted", () => record(left)?.left_behind === 2);
  say({ type: "shutdown" });
  expect(await exited).toBe(0);
  for (const id of [left, ...ids]) expect(record(id)).toMatchObject({ left_behind: 0, proof: "reaped" });
  // Nothing is left that main would have to end, as after a crash.
  const leaders = messages.filter((message) => message.type === "process");
  expect(leaders.filter(({ event }) => event === "ended")).toHaveLength(ids.length + 1);
  history.close();
  expect(await readFile(join(home, "terminals.json"), "utf8")).not.toContain('"gone_at":null');
});
