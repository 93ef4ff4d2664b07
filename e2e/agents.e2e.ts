import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { within } from "../loopback/testing/within.ts";
import { modernAgent } from "./agents/modern.ts";
import { startEngine } from "./engine-process.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { waitForQuestion } from "./pages/consent-window.ts";
import { RunsPage } from "./pages/runs-page.ts";
import { saveScreenshot } from "./screenshot.ts";

const LIVE_WITHIN_MS = 2_000;

test.describe("Agents: tokens that the person makes, and what agents do with them", () => {
  let app: RunningApp;
  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes"] });
  });
  test.afterAll(async () => {
    await app.close();
  });

  test("[F7] a token is made after a question, shown once, works at once, and not any more when revoked", async () => {
    const { page } = app;
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /^Agents/ })
      .click();
    await page.getByRole("button", { name: "Make a token" }).first().click();
    await page.getByRole("textbox", { name: "Name" }).fill("reader one");
    await page.getByRole("button", { name: "Make token" }).click();
    const question = await waitForQuestion(app, "reader one");
    await question.approve();

    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("Shown this once");
    const shown = dialog.getByRole("region", { name: "Token", exact: true }).locator("pre");
    await expect(shown).toHaveText(/^ibk_\S+$/);
    const token = (await shown.textContent()) ?? "";
    await expect(dialog).toContainText("claude mcp add");
    await expect(dialog).toContainText('"mcpServers"');
    await saveScreenshot(page, "token-shown-once");
    await page.keyboard.press("Escape"); // it stays: the button below is pressed in it

    const agent = await modernAgent(app.connection.mcp.url, token.trim(), "the reader's client");
    const tools = await agent.listTools();
    expect(tools).toContain("ironflow_list_runs");
    expect(tools, "a reader is not offered what it may not call").not.toContain("ironflow_delete_run");
    expect((await agent.call("ironflow_list_runs")).isError).toBe(false);

    await page.getByRole("button", { name: "I have copied it" }).click();
    await expect(page.locator("body")).not.toContainText(token.trim());
    await expect(page.getByRole("main")).toContainText("the reader's client");
    await saveScreenshot(page, "agents");

    const row = page.locator('[data-token-name="reader one"]');
    await row.getByRole("button", { name: "Revoke the token reader one" }).click();
    await row.getByRole("button", { name: "Revoke reader one" }).click();
    await expect
      .poll(
        async () =>
          (
            await fetch(app.connection.mcp.url, {
              method: "POST",
              headers: { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" },
              body: "{}",
            })
          ).status,
      )
      .toBe(401);
    await agent.close();
  });

  test("[F7] a run that an agent starts is on screen within 2 s, and its retries are told in its detail", async () => {
    const agent = await modernAgent(app.connection.mcp.url, app.token);
    try {
      const runs = new RunsPage(app.page);
      await runs.open();
      const emitted = await agent.call("ironflow_emit_event", {
        event: "parcel.ready",
        data: { orderId: "order-7001", grams: 120 },
      });
      const { run_ids: ids } = z.object({ run_ids: z.array(z.string()) }).parse(emitted.structured);
      const [runId] = ids;
      if (runId === undefined) throw new Error("the event started no run");
      await within("the run is on screen", LIVE_WITHIN_MS, () => runs.row(runId).isVisible());
      await expect(runs.row(runId)).toContainText("Paused");
      await runs.openRun(runId);
      const attempts = app.page.getByRole("region", { name: "Failed attempts" });
      await expect(attempts.getByRole("listitem")).toHaveCount(3);
      await expect(attempts).toContainText("the depot has no power");
      await saveScreenshot(app.page, "run-paused");
    } finally {
      await agent.close();
    }
  });
});

test("[F3] a number with more digits than a double holds is drawn with all of them, and what only looks like one is an object", async () => {
  const app = await launchApp({ flags: ["--allow-writes"] });
  const agent = await modernAgent(app.connection.mcp.url, app.token);
  try {
    const data_json = '{"big":9223372036854775807,"like":{"isLosslessNumber":true,"value":"1"}}';
    expect((await agent.call("ironflow_emit_event", { event: "many.digits", data_json })).isError).toBe(
      false,
    );
    await app.page
      .getByRole("navigation")
      .getByRole("link", { name: /^Events/ })
      .click();
    const main = app.page.getByRole("main");
    await main.getByText("many.digits").first().click();
    await expect(main).toContainText("9223372036854775807");
    await expect(main).toContainText("isLosslessNumber");
    await saveScreenshot(app.page, "event-many-digits");
  } finally {
    await agent.close();
    await app.close();
  }
});

test("[F7] when the engine dies the page says how old its rows are, and goes on when the engine is back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ironbridge-engine-"));
  const first = await startEngine(folder, 0);
  const app = await launchApp({
    flags: [`--server-url=${first.url}`, "--allow-writes"],
    env: { IRONFLOW_API_KEY: first.key },
  });
  const agent = await modernAgent(app.connection.mcp.url, app.token);
  try {
    await app.page
      .getByRole("navigation")
      .getByRole("link", { name: /^Events/ })
      .click();
    await agent.call("ironflow_emit_event", { event: "before.the.end", data: 1 });
    const main = app.page.getByRole("main");
    const shows = (text: string) => async () => ((await main.textContent()) ?? "").includes(text);
    await within("the event is on screen", LIVE_WITHIN_MS, shows("before.the.end"));
    await first.stop();
    await expect(app.page.getByRole("banner")).toContainText(/unreachable/i);
    await expect(main).toContainText(/ago|old/i);
    await expect(main, "what was read stays on screen").toContainText("before.the.end");
    await saveScreenshot(app.page, "stale");
    const second = await startEngine(folder, Number(new URL(first.url).port));
    await expect(app.page.getByRole("banner")).toContainText(/live/i, { timeout: 40_000 });
    await agent.call("ironflow_emit_event", { event: "after.the.restart", data: 2 });
    await within("the next event is on screen", LIVE_WITHIN_MS, shows("after.the.restart"));
    await second.stop();
  } finally {
    await agent.close();
    await app.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

test("[F7] an engine that is not there is said once, and one that refuses the key in a person's words", async () => {
  test.setTimeout(180_000);
  const away = await launchApp({ flags: ["--server-url=http://127.0.0.1:1"] });
  try {
    await away.page
      .getByRole("navigation")
      .getByRole("link", { name: /^Events/ })
      .click();
    await expect(away.page.getByRole("main")).toContainText("Could not read the events");
    const sentence = away.page.getByText("the engine at http://127.0.0.1:1 cannot be reached");
    await expect(sentence, "in the bar, and not again on the page").toHaveCount(1, { timeout: 40_000 });
    await saveScreenshot(away.page, "engine-away");
  } finally {
    await away.close();
  }

  const folder = await mkdtemp(join(tmpdir(), "ironbridge-engine-"));
  const engine = await startEngine(folder, 0);
  const refused = await launchApp({
    flags: [`--server-url=${engine.url}`],
    env: { IRONFLOW_API_KEY: "ifkey_of_somebody_else" },
  });
  try {
    const { page } = refused;
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /^Events/ })
      .click();
    await expect(page.getByText("the engine refuses the API key")).toHaveCount(1, { timeout: 40_000 });
    await expect(page.getByRole("main")).toContainText("Its key is read from IRONFLOW_API_KEY");
    await expect(page.locator("body")).not.toContainText(/tool server/i);
    await saveScreenshot(page, "key-refused");
  } finally {
    await refused.close();
    await engine.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
