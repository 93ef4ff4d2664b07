import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { RunSummary } from "../mcp/contract/domain.ts";
import { attachedHandshake, attachedModern, type AttachedAgent } from "./agents/attached.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { waitForQuestion } from "./pages/consent-window.ts";
import { askMain } from "./pages/door.ts";

const Runs = z.object({ runs: z.array(RunSummary) });

test.describe("ironbridge-mcp --attach, for agents that speak stdio only", () => {
  let app: RunningApp;
  let userDataDir: string;
  let token: string;
  let agents: AttachedAgent[] = [];
  const connectionFile = () => join(userDataDir, "connection.json");

  test.beforeAll(async () => {
    userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-attach-"));
    app = await launchApp({ flags: ["--demo", "--allow-writes"], userDataDir });
    token = await tokenFor("an attached agent");
    agents = [
      await attachedHandshake(connectionFile(), token),
      await attachedModern(connectionFile(), token),
    ];
  });
  test.afterAll(async () => {
    for (const agent of agents) await agent.close();
    await app.close();
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** As a person makes one: on the page, and with a click in the consent window. */
  async function tokenFor(name: string): Promise<string> {
    const made = askMain(app.page, "tokens:create", {
      name,
      permissions: ["mcp.call", "mcp.write"],
    });
    await (await waitForQuestion(app, name)).approve();
    const answer = await made;
    if (!answer.ok) throw new Error(answer.error.error);
    return answer.created.token;
  }

  async function completedRun(agent: AttachedAgent): Promise<string> {
    let id = "";
    await expect
      .poll(
        async () => {
          const answer = await agent.call("ironflow_list_runs", { status: "completed", limit: 1 });
          id = Runs.parse(answer.structured).runs[0]?.id ?? "";
          return id;
        },
        { timeout: 60_000 },
      )
      .not.toBe("");
    return id;
  }

  test("[M11] an attached agent of either era waits for the person's click, and only then is it done", async () => {
    for (const agent of agents) {
      const run = await completedRun(agent);
      const call = agent.call("ironflow_delete_run", { run_id: run });
      await (await waitForQuestion(app, run)).approve();
      expect((await call).isError).toBe(false);
      expect((await agent.call("ironflow_get_run", { run_id: run })).isError).toBe(true);
    }
  });

  test("[M11] an attached agent of either era hears that its tools have changed", async () => {
    for (const agent of agents) expect(await agent.listTools()).toContain("ironflow_delete_run");
    const before = agents.map((agent) => agent.toolsChanged);
    const { connection } = app.connection.engine;
    await askMain(app.page, "connections:set-writes", { connection, who: "agents", allowed: false });
    for (const [at, agent] of agents.entries()) {
      await expect.poll(() => agent.toolsChanged).toBeGreaterThan(before[at] ?? 0);
      expect(await agent.listTools()).not.toContain("ironflow_delete_run");
    }
  });

  test("[M11] the token of an attached agent is in its own environment and in no command line", async () => {
    test.skip(process.platform !== "linux", "reads /proc");
    for (const { pid } of agents) {
      expect(await readFile(`/proc/${pid}/cmdline`, "utf8")).not.toContain(token);
      expect(await readFile(`/proc/${pid}/environ`, "utf8")).toContain(token);
    }
  });

  test("[M11] after a restart of the app the same agents go on, and hear that the tools may be others", async () => {
    const before = agents.map((agent) => agent.toolsChanged);
    await app.close();
    for (const agent of agents) {
      const answer = await agent.call("ironflow_server_info");
      expect(JSON.parse(answer.text)).toMatchObject({ code: "unavailable", retryable: true });
    }
    app = await launchApp({ flags: ["--demo"], userDataDir });
    for (const [at, agent] of agents.entries()) {
      await expect.poll(() => agent.toolsChanged).toBeGreaterThan(before[at] ?? 0);
      // They may have been told of something before the end of the app: the answer is what counts.
      await expect.poll(async () => (await agent.call("ironflow_server_info")).isError).toBe(false);
    }
  });
});
