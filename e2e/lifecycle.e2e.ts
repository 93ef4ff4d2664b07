import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { modernAgent } from "./agents/modern.ts";
import { launchApp } from "./launch.ts";
import { allGone, processesWithEnv, processTree, type Process } from "./processes.ts";

/** The marker that every child of one launch carries, read from a child's own environment. */
async function launchMarker(tree: Process[]): Promise<string> {
  for (const one of tree) {
    const environ = await readFile(`/proc/${one.pid}/environ`, "utf8").catch(() => "");
    const marker = environ.split("\0").find((entry) => entry.startsWith("IRONBRIDGE_SESSION="));
    if (marker !== undefined) return marker;
  }
  throw new Error("no child carries the marker IRONBRIDGE_SESSION");
}

/** Everything that belongs to the launch whose main process is `pid`. */
async function everythingOf(pid: number): Promise<Process[]> {
  const tree = await processTree(pid);
  const marked = await processesWithEnv(await launchMarker(tree));
  const byPid = new Map([...tree, ...marked].map((one) => [one.pid, one]));
  return [...byPid.values()];
}

test("[G3] an orderly quit ends every child and removes the connection file", async () => {
  const userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-quit-"));
  const app = await launchApp({ flags: ["--demo"], userDataDir });
  const ours = await everythingOf(app.connection.pid);
  expect(ours.length).toBeGreaterThan(5);
  await app.close();
  await allGone(ours, 2_000);
  await expect(access(join(userDataDir, "connection.json"))).rejects.toThrow();
  await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
});

test("[G-SHOW-3] after kill -9 of main no process of ours is left after 2 s", async () => {
  const userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-kill-"));
  const app = await launchApp({ flags: ["--demo"], userDataDir });
  const ours = await everythingOf(app.connection.pid);
  const gone = new Promise<void>((done) => app.electron.process().once("exit", () => done()));
  process.kill(app.connection.pid, "SIGKILL");
  await gone;
  await allGone(ours, 2_000);
  await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
});

test("[G5] what the engine acknowledged is there after kill -9 of the app and a new start", async () => {
  const userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-again-"));
  const first = await launchApp({ flags: ["--demo"], userDataDir });
  const list = async (app: typeof first): Promise<string[]> => {
    const agent = await modernAgent(app.connection.mcp.url, app.token);
    try {
      const answer = await agent.call("ironflow_list_runs", { limit: 100 });
      return (JSON.parse(answer.text) as { runs: { id: string }[] }).runs.map((run) => run.id);
    } finally {
      await agent.close();
    }
  };
  let before: string[] = [];
  await expect.poll(async () => (before = await list(first)).length).toBeGreaterThan(1);
  const gone = new Promise<void>((done) => first.electron.process().once("exit", () => done()));
  process.kill(first.connection.pid, "SIGKILL");
  await gone;
  const second = await launchApp({ userDataDir });
  const after = await list(second);
  expect(after).toEqual(expect.arrayContaining(before));
  expect(second.connection.mcp.url, "the endpoint keeps its port").toBe(first.connection.mcp.url);
  await second.close();
  await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
});
