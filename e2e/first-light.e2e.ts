import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { within } from "../loopback/testing/within.ts";
import { Breaker, DeadLetter, RunSummary } from "../mcp/contract/domain.ts";
import type { Agent } from "./agents/agent.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { waitForQuestion } from "./pages/consent-window.ts";
import { openPage } from "./pages/open-page.ts";
import { RunsPage } from "./pages/runs-page.ts";
import { saveScreenshot } from "./screenshot.ts";

const TOOLS_OF_FIRST_LIGHT = [
  "ironflow_list_runs",
  "ironflow_get_run",
  "ironflow_get_run_steps",
  "ironflow_wait_for_run",
  "ironflow_list_events",
  "ironflow_list_functions",
  "ironflow_circuit_breaker_list",
  "ironflow_dead_letter_list",
  "ironflow_emit_event",
  "ironflow_invoke_function",
  "ironflow_cancel_run",
  "ironflow_resume_run",
  "ironflow_circuit_breaker_reset",
  "ironflow_delete_run",
  "ironflow_terminal_run",
  "ironflow_terminal_read",
];

const LIVE_WITHIN_MS = 2_000;

test.describe("First light: the demo as an agent and a person see it", () => {
  let app: RunningApp;
  let old: Agent;
  let modern: Agent;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes", "--terminals"] });
    old = await handshakeAgent(app.connection.mcp.url, app.token);
    modern = await modernAgent(app.connection.mcp.url, app.token);
  });
  test.afterAll(async () => {
    await old.close();
    await modern.close();
    await app.close();
  });

  async function runOf(functionId: string): Promise<RunSummary | undefined> {
    const answer = await modern.call("ironflow_list_runs", { function_id: functionId, limit: 1 });
    return z.object({ runs: z.array(RunSummary) }).parse(answer.structured).runs[0];
  }

  async function breakers(agent: Agent): Promise<Breaker[]> {
    const answer = await agent.call("ironflow_circuit_breaker_list");
    const items = z.object({ items: z.array(Breaker) }).parse(answer.structured).items;
    expect(JSON.parse(answer.text), "a bare array stays bare in the text").toEqual(items);
    return items;
  }

  test("[F3] both eras list the same tools, and none that is only for the app", async () => {
    const [byOld, byModern] = [await old.listTools(), await modern.listTools()];
    expect(byOld.toSorted()).toEqual(byModern.toSorted());
    expect(byOld).toEqual(expect.arrayContaining(TOOLS_OF_FIRST_LIGHT));
    const ofOurs = byOld.filter((name) => name.startsWith("ironbridge_"));
    expect(ofOurs.filter((name) => !name.startsWith("ironbridge_terminal_"))).toEqual([]);
  });

  test("[F2] the paused run, the open breaker and the dead letter are there through MCP and on screen", async () => {
    await expect.poll(async () => (await runOf("book-carrier"))?.status).toBe("paused");
    await expect
      .poll(async () => (await breakers(old)).find((one) => one.function_id === "pick-in-warehouse")?.state)
      .toMatch(/open/);
    // The breaker tries again and again: both are read anew until nothing came between the two readings.
    await expect(async () => {
      expect(await breakers(old)).toEqual(await breakers(modern));
    }).toPass();
    const letters = async () => {
      const answer = await modern.call("ironflow_dead_letter_list", { env: "default" });
      return z.object({ items: z.array(DeadLetter) }).parse(answer.structured).items[0];
    };
    await expect.poll(letters).toMatchObject({ source: "routing", function_id: "welcome-loyal-customer" });

    const runs = new RunsPage(app.page);
    await runs.open();
    const paused = await runOf("book-carrier");
    await expect(runs.row(paused?.id ?? "")).toContainText("Paused");
    await saveScreenshot(app.page, "runs-demo");
    await openPage(app.page, "Circuit breakers");
    await expect(app.page.getByRole("main")).toContainText("pick-in-warehouse");
    await expect(app.page.getByRole("main")).toContainText(/open/i);
    await expect(app.page.getByRole("main")).toContainText("Runs held back");
    await expect(app.page.getByRole("main")).toContainText("Tries again");
    await app.page.getByRole("main").getByRole("button", { name: "Failures" }).click();
    const failures = app.page.getByRole("list", { name: "Failures, newest first" });
    await expect(failures.getByRole("listitem").first()).toContainText("the warehouse's server is down");
    await expect(failures).toContainText("the breaker opened");
    await saveScreenshot(app.page, "breakers");
    await openPage(app.page, "Dead letters");
    await expect(app.page.getByRole("main")).toContainText("welcome-loyal-customer");
    await app.page.getByRole("button", { name: "Payload" }).first().click();
    await expect(app.page.getByRole("main")).toContainText("charles@example.com");
    await saveScreenshot(app.page, "dead-letters");
    await openPage(app.page, "Events");
    await expect(app.page.getByRole("main")).toContainText("customer.registered");
    await saveScreenshot(app.page, "events");
  });

  test("[F2] the paused run completes when its cause is mended and it is resumed, and the window follows", async () => {
    const paused = await runOf("book-carrier");
    const runs = new RunsPage(app.page);
    await runs.open();
    const emitted = await old.call("ironflow_emit_event", { event: "carrier.restored", data: {} });
    expect(emitted.isError, emitted.text).toBe(false);
    await expect.poll(async () => (await runOf("mend-carrier"))?.status).toBe("completed");
    const resumed = await old.call("ironflow_resume_run", { run_id: paused?.id });
    expect(resumed.isError, resumed.text).toBe(false);
    const waited = await modern.call("ironflow_wait_for_run", { run_id: paused?.id, timeout_seconds: 20 });
    expect(waited.isError, waited.text).toBe(false);
    expect((await runOf("book-carrier"))?.status).toBe("completed");
    const row = runs.row(paused?.id ?? "");
    await within("the run's end is on screen", LIVE_WITHIN_MS, async () =>
      ((await row.textContent()) ?? "").includes("Completed"),
    );
    await runs.row(paused?.id ?? "").click();
    const detail = app.page.getByRole("region", { name: "Run detail" });
    await expect(detail).toContainText("1 of 3 since it was resumed, 4 in all");
    await saveScreenshot(app.page, "run-resumed");
    await openPage(app.page, "Functions");
    await saveScreenshot(app.page, "functions");
  });

  test("[F5] resetting the breaker asks the person; the run behind it then completes", async () => {
    await modern.call("ironflow_emit_event", { event: "warehouse.restored", data: {} });
    await expect.poll(async () => (await runOf("mend-warehouse"))?.status).toBe("completed");
    const breaker = (await breakers(modern)).find((one) => one.function_id === "pick-in-warehouse");
    const call = modern.call("ironflow_circuit_breaker_reset", { key: breaker?.key });
    const question = await waitForQuestion(app, breaker?.key ?? "");
    await question.approve();
    const answer = await call;
    expect(answer.isError, answer.text).toBe(false);
    await expect.poll(async () => (await runOf("pick-in-warehouse"))?.status).toBe("completed");
  });

  test("[F3] wrong arguments are refused with the path and what is allowed, and nothing runs", async () => {
    for (const agent of [old, modern]) {
      const answer = await agent.call("ironflow_list_runs", { limit: "many" });
      expect(answer.isError).toBe(true);
      expect(answer.text).toContain("limit");
      const unknown = await agent.call("ironflow_emit_event", { event: "x", data: {}, surprise: 1 });
      expect(unknown.isError).toBe(true);
      expect(unknown.text).toContain("surprise");
    }
  });
});

test("[F-SHOW-4] the bridge and the engine refuse whoever has no token, a wrong one, a foreign Host or Origin", async () => {
  const app = await launchApp({ flags: ["--terminals", "--allow-writes"] });
  try {
    const doors = [
      { url: `${app.connection.bridge?.url ?? ""}/v1/sessions`, method: "GET" },
      { url: `${app.connection.engine.url}/api/v1/events`, method: "GET" },
      { url: app.connection.mcp.url, method: "POST" },
    ];
    for (const door of doors) {
      for (const headers of [
        {},
        { authorization: "Bearer made-up" },
        { authorization: "Bearer made-up", origin: "https://evil.example" },
      ]) {
        const answer = await fetch(door.url, {
          method: door.method,
          headers: { "content-type": "application/json", ...headers },
          ...(door.method === "POST" ? { body: "{}" } : {}),
        });
        expect([401, 403]).toContain(answer.status);
        expect(await answer.text()).not.toMatch(/ironflow_|terminal_run|sessions/);
      }
      const foreign = await withHost(door.url, door.method, "evil.example");
      expect([400, 403, 421]).toContain(foreign);
    }
  } finally {
    await app.close();
  }
});

/** fetch refuses to set Host: a raw request does it. Answers the status. */
async function withHost(url: string, method: string, host: string): Promise<number> {
  const { request } = await import("node:http");
  const target = new URL(url);
  return new Promise((done, fail) => {
    const sent = request(
      {
        host: target.hostname,
        port: target.port,
        path: target.pathname,
        method,
        setHost: false,
        headers: { host },
      },
      (answer) => {
        answer.resume();
        done(answer.statusCode ?? 0);
      },
    );
    sent.once("error", fail);
    sent.end();
  });
}

test("[F4] an engine of one's own can be attached: named, with its address, read-only until it is switched on", async () => {
  const engineApp = await launchApp({ flags: ["--demo"] });
  const key = await engineKey(engineApp);
  const app = await launchApp({
    flags: [`--server-url=${engineApp.connection.engine.url}`],
    env: { IRONFLOW_API_KEY: key },
  });
  const agent = await modernAgent(app.connection.mcp.url, app.token);
  try {
    expect(app.connection.engine).toMatchObject({ kind: "remote", url: engineApp.connection.engine.url });
    const banner = app.page.getByRole("banner");
    await expect(banner).toContainText(new URL(engineApp.connection.engine.url).host);
    await expect(banner).toContainText(/read.only/i);
    expect((await agent.call("ironflow_list_runs")).isError).toBe(false);
    expect(await agent.listTools()).not.toContain("ironflow_delete_run");
    expect(app.output()).not.toContain(key);
  } finally {
    await agent.close();
    await app.close();
    await engineApp.close();
  }
});

async function engineKey(app: RunningApp): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(`${app.userDataDir}/engine/.ironflow_bootstrap_key.json`, "utf8");
  return z.object({ key: z.string() }).parse(JSON.parse(text)).key;
}
