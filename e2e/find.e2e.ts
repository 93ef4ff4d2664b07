import { expect, test } from "@playwright/test";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { openPage } from "./pages/open-page.ts";
import { saveScreenshot } from "./screenshot.ts";

test.describe("Finding runs, functions and what agents did", () => {
  let app: RunningApp;
  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes"] });
  });
  test.afterAll(async () => {
    await app.close();
  });

  const hash = () => app.page.evaluate(() => window.location.hash);
  const runs = () => app.page.locator("[data-run-id]");

  test("[F7] runs are found by event name and by text in their data, by a whole event id, and Back goes through it", async () => {
    await openPage(app.page, "Runs");
    await expect(runs().first()).toBeVisible();
    const text = app.page.getByRole("searchbox", { name: "Search in event name, input, output and error" });
    await text.fill("order.placed");
    const found = app.page.getByRole("grid", { name: "Runs with this text" });
    await expect(found.getByText("fulfil-order").first()).toBeVisible({ timeout: 30_000 });
    await expect(found.getByText("order.placed").first()).toBeVisible();
    await saveScreenshot(app.page, "runs-found");
    await app.page.getByRole("combobox", { name: "Status" }).click();
    await app.page.getByRole("option", { name: "Failed" }).click();
    await app.page.keyboard.press("Escape");
    await expect.poll(hash).toContain("status=failed");
    await expect(app.page.getByText("No run has this text")).toBeVisible();
    await app.page.goBack();
    await expect.poll(hash).not.toContain("status=");
    await expect(found.getByText("fulfil-order").first()).toBeVisible();
    await text.fill("no such text in here: 50%");
    await expect(app.page.getByText("No run has this text")).toBeVisible();
    await app.page.getByRole("button", { name: "Clear filters" }).click();
    await expect(app.page.getByRole("grid", { name: "Runs", exact: true })).toBeVisible();

    await app.page.locator("[data-run-id]").filter({ hasText: "fulfil-order" }).first().click();
    const detail = app.page.getByRole("region", { name: "Run detail" });
    const link = detail.locator('a[href*="/events/evt_"]').first();
    const eventId = /evt_\w+/.exec((await link.getAttribute("href")) ?? "")?.[0] ?? "no event";
    await detail.getByRole("button", { name: /^Close the run|^All runs/ }).click();
    await app.page.getByRole("searchbox", { name: /^Search by run id/ }).fill(eventId);
    await expect.poll(hash).toContain(`event=${eventId}`);
    await expect(runs()).not.toHaveCount(0);
    await expect(app.page.locator("[data-run-id]").filter({ hasText: "fulfil-order" }).first()).toBeVisible();
  });

  test("[F7] a function opens by keyboard to its triggers, retries, breaker and newest runs", async () => {
    await openPage(app.page, "Functions");
    const grid = app.page.getByRole("grid", { name: "Functions" });
    await grid.locator('[data-function-id="pick-in-warehouse"]').click();
    const detail = app.page.getByRole("region", { name: "Function detail" });
    await expect(detail.getByRole("region", { name: "Started by" })).toContainText("order.picking");
    await expect(detail.getByRole("region", { name: "Retries" })).toContainText("50");
    const versions = detail.getByRole("list", { name: "Versions, newest first" });
    await expect(versions.getByRole("listitem").first()).toContainText(/^Version 1 /);
    await expect(detail.getByRole("region", { name: "Circuit breaker" })).toContainText(
      /Open|Half-open|Closed/,
    );
    await expect(detail.getByRole("region", { name: "Newest runs" }).getByRole("link").first()).toBeVisible();
    await saveScreenshot(app.page, "function");
    await detail.getByRole("button", { name: "Close the function" }).press("Enter");
    await expect(detail).toHaveCount(0);
    await grid.focus();
    await app.page.keyboard.press("Home");
    await app.page.keyboard.press("Enter");
    await expect(detail).toBeVisible();
  });

  test("[E4] a row of the audit opens to all that it holds, and leads to what is like it", async () => {
    const agent = await modernAgent(app.connection.mcp.url, app.token);
    await agent.call("ironflow_list_runs", { event_id: "evt_not_in_the_audit" });
    await agent.close();
    await openPage(app.page, "Audit");
    const row = app.page
      .locator("[data-audit-id]")
      .filter({ hasText: "mcp.call" })
      .filter({ hasText: "ironflow_list_runs" })
      .first();
    await row.click();
    const detail = app.page.getByRole("region", { name: "Audit detail" });
    await expect(detail).toContainText("token:local");
    await expect(detail.getByRole("region", { name: "Fields" })).toContainText("call id");
    await expect(detail).not.toContainText("evt_not_in_the_audit");
    await saveScreenshot(app.page, "audit-row");
    await detail.getByRole("link", { name: "Everything about this call" }).press("Enter");
    await expect.poll(hash).toContain("call=");
    await expect(app.page.locator("[data-audit-id]").filter({ hasText: "mcp.result" })).toHaveCount(1);
    await expect(app.page.locator("[data-audit-id]")).toHaveCount(2);
    await app.page.goBack();
    await expect(detail).toContainText("token:local");
    await detail.getByRole("link", { name: "Everything about this tool" }).click();
    await expect.poll(hash).toContain("tool=ironflow_list_runs");
    await expect(app.page.getByRole("searchbox", { name: "Tool, by its whole name" })).toHaveValue(
      "ironflow_list_runs",
    );
    await expect(app.page.locator("[data-audit-id]").first()).toContainText("ironflow_list_runs");
  });
});
