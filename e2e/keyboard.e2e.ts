import { expect, test } from "@playwright/test";
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
    app = await launchApp({ flags: ["--demo"] });
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
    // A run of the demo may come on top between looking and pressing: then another one is the second.
    await expect(async () => {
      await grid.focus();
      const { runId } = await rows();
      await app.page.keyboard.press("Enter");
      const detail = app.page.getByRole("region", { name: "Run detail" });
      await expect(detail).toContainText(runId ?? "no second row", { timeout: 2_000 });
    }).toPass({ timeout: 60_000 });
  });
});
