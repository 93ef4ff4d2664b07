import { expect, test } from "@playwright/test";
import { handshakeAgent } from "./agents/handshake.ts";
import { violations } from "./axe.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { saveScreenshot } from "./screenshot.ts";

const PAGES = [
  "Overview",
  "Runs",
  "Events",
  "Functions",
  "Dead letters",
  "Circuit breakers",
  "Terminals",
  "Agents",
  "Settings",
];

test.describe("Every page by keyboard, and as a screen reader is told", () => {
  let app: RunningApp;
  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes"] });
  });
  test.afterAll(async () => {
    await app.close();
  });

  for (const name of PAGES) {
    test(`[F7] ${name} opens by keyboard, times carry their zone, and axe finds nothing`, async () => {
      const link = app.page.getByRole("navigation").getByRole("link", { name: new RegExp(`^${name}`) });
      await link.focus();
      await app.page.keyboard.press("Enter");
      await expect(app.page.getByRole("heading", { name, level: 1 })).toBeVisible();
      await expect(app.page.getByRole("main")).not.toContainText(/loading/i);
      // All of them at one moment: rows come and go while the demo runs.
      const times = await app.page
        .getByRole("main")
        .locator("time[datetime]")
        .evaluateAll((all) =>
          all.map(
            (time) =>
              `${time.textContent} ${time.getAttribute("title") ?? ""} ${time.getAttribute("aria-label") ?? ""}`,
          ),
        );
      for (const time of times) if (/\d\d:\d\d/.test(time)) expect(time).toMatch(/UTC/);
      await saveScreenshot(app.page, `page-${name.toLowerCase().replaceAll(" ", "-")}`);
      expect(await violations(app.page)).toEqual([]);
    });
  }

  test("[F7] the Runs list is walked with the arrow keys and opened with Enter", async () => {
    await app.page.getByRole("navigation").getByRole("link", { name: "Runs", exact: true }).click();
    const grid = app.page.getByRole("grid", { name: "Runs" });
    await expect(app.page.locator("[data-run-id]").nth(1)).toBeVisible();
    await grid.focus();
    await app.page.keyboard.press("ArrowDown");
    const rows = () =>
      grid.evaluate((list) => {
        const all = [...list.querySelectorAll<HTMLElement>("[data-run-id]")];
        const at = all.findIndex(({ id }) => id === list.getAttribute("aria-activedescendant"));
        return { at, runId: all[at]?.dataset["runId"] };
      });
    await expect.poll(async () => (await rows()).at).toBe(1);
    const { runId } = await rows();
    // A run that comes on top meanwhile moves the row, and the keys with it.
    const agent = await handshakeAgent(app.connection.mcp.url, app.token);
    try {
      const emitted = await agent.call("ironflow_emit_event", {
        event: "order.placed",
        data: { order: "k-1" },
      });
      expect(emitted.isError, emitted.text).toBe(false);
    } finally {
      await agent.close();
    }
    await expect.poll(async () => (await rows()).at).toBeGreaterThan(1);
    expect((await rows()).runId).toBe(runId);
    await app.page.keyboard.press("Enter");
    await expect(app.page.getByRole("region", { name: "Run detail" })).toContainText(
      runId ?? "no second row",
    );
  });
});
