import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { RunSummary, Step } from "../mcp/contract/domain.ts";
import { ToolError } from "../mcp/contract/errors.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import type { Agent } from "./agents/agent.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { RunsPage } from "./pages/runs-page.ts";
import { saveScreenshot } from "./screenshot.ts";

const RunsPageOfTool = z.object({ runs: z.array(RunSummary) });

test.describe("Ground: one true path through every process", () => {
  let app: RunningApp;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo"] });
  });
  test.afterAll(async () => {
    await app.close();
  });
  test.beforeAll(() => {
    process.stdout.write(`electron ${app.connection.app.electron}\n`);
  });

  async function runsThrough(agent: Agent): Promise<RunSummary[]> {
    const result = await agent.call("ironflow_list_runs", { limit: 50 });
    expect(result.isError, result.text).toBe(false);
    expect(JSON.parse(result.text)).toEqual(result.structured);
    return RunsPageOfTool.parse(result.structured).runs;
  }

  test("[G8] the demo's runs on screen and through MCP in both eras are the same rows", async () => {
    const oldAgent = await handshakeAgent(app.connection.mcp.url, app.token);
    const newAgent = await modernAgent(app.connection.mcp.url, app.token);
    try {
      await expect
        .poll(async () => (await runsThrough(oldAgent)).map((run) => run.status))
        .toEqual(expect.arrayContaining(["completed", "failed"]));
      const runs = new RunsPage(app.page);
      await runs.open();
      // The demo goes on while this looks: a run may end between two readings, so all three are read
      // again until they agree in one reading, row by row.
      await expect(async () => {
        const [old, modern] = [await runsThrough(oldAgent), await runsThrough(newAgent)];
        expect(modern).toEqual(old);
        expect(await runs.shownRunIds()).toEqual(old.map((run) => run.id));
        for (const run of old) {
          const row = runs.row(run.id);
          await expect(row).toContainText(run.function_id, { timeout: 500 });
          await expect(row).toContainText(new RegExp(run.status.replaceAll("_", " "), "i"), { timeout: 500 });
        }
      }).toPass({ timeout: 60_000 });
      await saveScreenshot(app.page, "runs");
    } finally {
      await oldAgent.close();
      await newAgent.close();
    }
  });

  test("[G8][G6] a run's detail shows the same steps as MCP, and the error of the run that failed", async () => {
    const agent = await modernAgent(app.connection.mcp.url, app.token);
    try {
      let failed: RunSummary | undefined;
      await expect
        .poll(async () => (failed = (await runsThrough(agent)).find((run) => run.status === "failed")))
        .toBeDefined();
      if (failed === undefined) throw new Error("unreachable");
      const answer = await agent.call("ironflow_get_run_steps", { run_id: failed.id });
      const { steps } = z.object({ steps: z.array(Step) }).parse(answer.structured);
      const runs = new RunsPage(app.page);
      await runs.open();
      await runs.openRun(failed.id);
      const detail = app.page.getByRole("region", { name: "Run detail" });
      for (const step of steps) await expect(detail).toContainText(step.name);
      await expect(detail).toContainText(failed.error?.message ?? "no message");
      await saveScreenshot(app.page, "run-detail");
    } finally {
      await agent.close();
    }
  });

  test("[G7] an answer names the engine it came from, and an unknown run is the documented error", async () => {
    const agent = await handshakeAgent(app.connection.mcp.url, app.token);
    try {
      const info = await agent.call("ironflow_server_info");
      expect(JSON.stringify(info.meta)).toContain(app.connection.engine.url);
      const missing = await agent.call("ironflow_get_run", { run_id: "run_missing" });
      expect(missing.isError).toBe(true);
      expect(ToolError.parse(JSON.parse(missing.text))).toMatchObject({
        code: "not_found",
        retryable: false,
      });
    } finally {
      await agent.close();
    }
  });

  test("[G7] the guard refuses before the protocol, and says nothing about tools", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const attempts: { headers: Record<string, string>; status: number }[] = [
      { headers: {}, status: 401 },
      { headers: { authorization: "Bearer made-up" }, status: 401 },
      { headers: { authorization: `Bearer ${app.token}`, origin: "http://evil.example" }, status: 403 },
      { headers: { authorization: `Bearer ${app.token}`, origin: "null" }, status: 403 },
    ];
    for (const attempt of attempts) {
      const answer = await fetch(app.connection.mcp.url, {
        method: "POST",
        headers: { ...json, ...attempt.headers },
        body,
      });
      expect(answer.status).toBe(attempt.status);
      expect(await answer.text()).not.toContain("ironflow");
    }
    const queryToken = await fetch(`${app.connection.mcp.url}?access_token=${app.token}`, {
      method: "POST",
      headers: json,
      body,
    });
    expect(queryToken.ok).toBe(false);
  });
});
