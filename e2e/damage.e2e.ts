import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { completedRuns, errorOf } from "./agents/calls.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp } from "./launch.ts";
import { waitForQuestion } from "./pages/consent-window.ts";
import { allGone, processTree } from "./processes.ts";
import { saveScreenshot } from "./screenshot.ts";

test("[E6] a crash while a question is open changes nothing, and the next start says so", async () => {
  const userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-crash-"));
  try {
    const before = await launchApp({ flags: ["--demo", "--allow-writes"], userDataDir });
    const agent = await modernAgent(before.connection.mcp.url, before.token);
    const [run] = await completedRuns(agent, 1);
    const id = run?.id ?? "";
    const call = agent.call("ironflow_delete_run", { run_id: id }).catch(() => undefined);
    await waitForQuestion(before, id);
    const ended = new Promise<void>((done) => before.electron.process().once("exit", () => done()));
    process.kill(before.electron.process().pid ?? 0, "SIGKILL");
    await ended;
    await call;
    await agent.close().catch(() => {});

    const after = await launchApp({ flags: ["--allow-writes"], userDataDir });
    try {
      await expect(
        after.page.getByText("A question was open when the app ended without a word."),
      ).toBeVisible();
      await expect(after.page.getByText("local asked for ironflow_delete_run")).toBeVisible();
      await saveScreenshot(after.page, "left-open");
      const reader = await modernAgent(after.connection.mcp.url, after.token);
      expect((await reader.call("ironflow_get_run", { run_id: id })).isError).toBe(false);
      await reader.close();
      const audit = await readFile(join(userDataDir, "audit.jsonl"), "utf8");
      expect(audit).toMatch(/"event":"consent.app_closed".*"crash":true/);
      await after.page.getByRole("button", { name: "Understood" }).click();
      await expect(after.page.getByText("A question was open")).toHaveCount(0);
    } finally {
      await after.close();
    }
  } finally {
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

test("[E1] damaged settings stop agents and hide their tools until the person mends them", async () => {
  const userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-damaged-"));
  try {
    await writeFile(join(userDataDir, "settings.json"), '{"version":1,"tool_perm', { mode: 0o600 });
    const app = await launchApp({ flags: ["--allow-writes"], userDataDir });
    try {
      const { page } = app;
      await expect(page.getByText("Everything is stopped.")).toBeVisible();
      await expect(page.getByText("The permissions that you put on single tools were lost.")).toBeVisible();
      await expect(page.getByText("Not everything that was kept could be read")).toBeVisible();
      await saveScreenshot(page, "settings-lost");
      const agent = await modernAgent(app.connection.mcp.url, app.token);
      expect(await agent.listTools()).toEqual([]);
      await expect(agent.call("ironflow_list_runs")).rejects.toThrow("not found");
      await page.getByRole("button", { name: "They are complete" }).click();
      await (await waitForQuestion(app, "Offer tools to agents again")).approve();
      await expect(page.getByText("The permissions that you put on single tools were lost.")).toHaveCount(0);
      expect(await agent.listTools()).toContain("ironflow_emit_event");
      const stopped = await agent.call("ironflow_emit_event", { event: "not.yet", data: {} });
      expect(errorOf(stopped).reason).toBe("stopped");
      await page.getByRole("button", { name: "Let agents act again" }).click();
      await (await waitForQuestion(app, "Let agents act again")).approve();
      await expect(page.getByText("Everything is stopped.")).toHaveCount(0);
      expect((await agent.call("ironflow_emit_event", { event: "now", data: {} })).isError).toBe(false);
      await agent.close();
    } finally {
      await app.close();
    }
    const kept = (await readdir(userDataDir)).filter((name) => name.startsWith("settings.json.broken"));
    expect(kept).toHaveLength(1);
  } finally {
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

test("[G-SHOW-3] a page that is stopped when main is killed does not stay behind", async () => {
  test.skip(process.platform !== "linux", "reads /proc");
  const userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-stopped-"));
  const app = await launchApp({ userDataDir });
  const { pid } = app.connection;
  const tree = await processTree(pid);
  const pages = tree.filter(({ command }) => command.includes("--type=renderer"));
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) process.kill(page.pid, "SIGSTOP");
  const gone = new Promise<void>((done) => app.electron.process().once("exit", () => done()));
  process.kill(pid, "SIGKILL");
  await gone;
  await allGone(tree, 3_000);
  await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
});
