import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { ConnectionFile } from "../electron/contract/discovery.ts";
import { RunSummary } from "../mcp/contract/domain.ts";
import { ToolError } from "../mcp/contract/errors.ts";
import type { Agent } from "./agents/agent.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { processTree, stillAlive } from "./processes.ts";

const repository = resolve(import.meta.dirname, "..");
const UP_WITHIN_MS = 120_000;

let folder: string;
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ironbridge-start-"));
});
test.afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

type Started = { child: ChildProcess; said(): string; errors(): string };

/** Starts the app as a person does, from a shell. */
function start(command: string, args: string[]): Started {
  const child = spawn(command, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return { child, said: () => said, errors: () => errors };
}

const app = (...flags: string[]): Started => start(process.execPath, ["build/app.mjs", ...flags]);

async function connectionOf(started: Started, userDataDir: string): Promise<ConnectionFile> {
  await expect.poll(() => started.said(), { timeout: UP_WITHIN_MS }).toContain("ready ");
  return ConnectionFile.parse(JSON.parse(await readFile(join(userDataDir, "connection.json"), "utf8")));
}

test.describe("A start that cannot succeed", () => {
  async function ending(...flags: string[]): Promise<{ code: number; errors: string }> {
    const started = app(...flags);
    const [code] = (await once(started.child, "close")) as [number];
    expect(started.said()).not.toContain("ready");
    return { code, errors: started.errors() };
  }

  for (const [flag, sentence] of [
    ["--server-url=foo", "--server-url: must be an http or https address"],
    ["--server-url=", "--server-url: must be an http or https address"],
    ["--mcp-port=", "--mcp-port: must be a port, a number from 0 to 65535"],
    ["--mcp-port=70000", "--mcp-port: must be a port, a number from 0 to 65535"],
    ["--dmeo", "--dmeo: there is no such flag; did you mean --demo?"],
    ["demo", "demo: did you mean --demo?"],
    ["my-profile", "my-profile: nothing is done with it"],
  ] as const) {
    test(`[G3] with ${flag} ends with code 4 and one sentence`, async () => {
      const { code, errors } = await ending(`--user-data-dir=${join(folder, "profile")}`, flag);
      expect(code).toBe(4);
      expect(errors.trim().split("\n")).toHaveLength(1);
      expect(errors).toContain(sentence);
    });
  }

  test("[G3] in a folder that cannot be used ends with code 1 and one sentence that names it", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    for (const path of [file, join(file, "below"), "/proc/ironbridge"]) {
      const { code, errors } = await ending(`--user-data-dir=${path}`);
      expect(code).toBe(1);
      expect(errors.trim().split("\n")).toHaveLength(1);
      expect(errors).toContain(`The profile folder ${path} cannot be used (`);
    }
  });

  test("[G3] on a port that another program has ends with code 1 and says so without a stack", async () => {
    const other = createServer();
    await new Promise<void>((done) => void other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as AddressInfo;
    const { code, errors } = await ending(`--user-data-dir=${folder}`, `--mcp-port=${port}`);
    await new Promise<void>((done) => void other.close(() => done()));
    expect(code).toBe(1);
    expect(errors).toContain(`--mcp-port: port ${port} cannot be used (another program has it)`);
    expect(errors).not.toMatch(/^ +at /m);
  });
});

test("[G5] an embedded engine whose database is damaged is crashed, and agents hear why and not to call again", async () => {
  const file = join(folder, "engine", "engine.db");
  await mkdir(join(folder, "engine"));
  await writeFile(file, "no database".repeat(1_000));
  const started = app(`--user-data-dir=${folder}`);
  const { mcp } = await connectionOf(started, folder);
  const agent = await modernAgent(mcp.url, (await readFile(mcp.token_file, "utf8")).trim());
  const answer = await agent.call("ironflow_list_runs");
  await agent.close();
  const error = ToolError.parse(JSON.parse(answer.text));
  expect(error).toMatchObject({ code: "unavailable", retryable: false });
  expect(error.error).toContain(`the database ${file} cannot be used (file is not a database); put a copy`);
  expect(started.errors()).toMatch(new RegExp(`error engine: the database .*engine\\.db cannot be used`));
  expect(started.errors(), "no JSON in the log").not.toMatch(/\{"level"/);
  const closed = once(started.child, "close");
  started.child.kill("SIGTERM");
  expect((await closed)[0], started.errors()).toBe(0);
});

test("[G3] what a killed app left behind is taken away by the next start in the same profile", async () => {
  const first = app(`--user-data-dir=${folder}`);
  const { pid } = await connectionOf(first, folder);
  const left = dirname(await readlink(join(folder, "SingletonSocket")));
  const ended = once(first.child, "close");
  process.kill(pid, "SIGKILL");
  await ended;
  await expect(readdir(left)).resolves.not.toEqual([]);
  const second = app(`--user-data-dir=${folder}`);
  await connectionOf(second, folder);
  await expect(readdir(left)).rejects.toThrow("ENOENT");
  const closed = once(second.child, "close");
  second.child.kill("SIGTERM");
  expect((await closed)[0], second.errors()).toBe(0);
  expect(second.errors()).toMatch(
    / info main: the app closes\n(.*\n)*.* info engine: stopping in order \(reason: what started it asks for it\)\n/,
  );
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`[G3] ${signal} to the pid of npm start ends everything that it had started`, async () => {
    const started = start("npm", ["start", "--silent", "--", `--user-data-dir=${folder}`]);
    const { pid } = await connectionOf(started, folder);
    const ours = await processTree(started.child.pid ?? 0);
    expect(ours.map((one) => one.pid)).toContain(pid);
    expect(ours.length).toBeGreaterThan(5);
    const closed = once(started.child, "close");
    started.child.kill(signal);
    await closed;
    await expect.poll(async () => (await stillAlive(ours)).map((one) => one.command)).toEqual([]);
    await expect(readFile(join(folder, "connection.json"))).rejects.toThrow("ENOENT");
  });
}

test("[G3] a closed terminal (SIGHUP) ends the app in order, and a second signal does not cut that short", async () => {
  const started = app(`--user-data-dir=${folder}`);
  await connectionOf(started, folder);
  const ours = await processTree(started.child.pid ?? 0);
  const closed = once(started.child, "close");
  started.child.kill("SIGHUP");
  started.child.kill("SIGINT");
  started.child.kill("SIGTERM");
  expect((await closed)[0], started.errors()).toBe(0);
  await expect.poll(async () => (await stillAlive(ours)).map((one) => one.command)).toEqual([]);
  await expect(readFile(join(folder, "local-token"))).rejects.toThrow("ENOENT");
});

test("[F5] agents of both eras whose question is open when Ctrl-C comes twice hear that the app was closed", async () => {
  const started = app("--demo", "--allow-writes", `--user-data-dir=${folder}`);
  const { mcp } = await connectionOf(started, folder);
  const token = (await readFile(mcp.token_file, "utf8")).trim();
  const agents: Agent[] = [await handshakeAgent(mcp.url, token), await modernAgent(mcp.url, token)];
  const Runs = z.object({ runs: z.array(RunSummary) });
  const runs = async (): Promise<RunSummary[]> =>
    Runs.parse((await agents[0]?.call("ironflow_list_runs", { limit: 10 }))?.structured).runs;
  let target: RunSummary | undefined;
  await expect.poll(async () => (target = (await runs())[0])).toBeDefined();
  const calls = agents.map((agent) => agent.call("ironflow_delete_run", { run_id: target?.id }));
  const asked = async (): Promise<number> =>
    (await readFile(join(folder, "audit.jsonl"), "utf8")).split("\n").filter((line) => line.includes("asked"))
      .length;
  await expect.poll(asked).toBe(agents.length);
  const closed = once(started.child, "close");
  started.child.kill("SIGINT");
  started.child.kill("SIGINT");
  for (const answer of await Promise.all(calls)) {
    expect(answer.isError).toBe(true);
    expect(ToolError.parse(JSON.parse(answer.text)).reason).toBe("app_closed");
  }
  await closed;
  for (const agent of agents) await agent.close();
});
