import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { launchApp, type RunningApp } from "./launch.ts";
import { saveScreenshot } from "./screenshot.ts";

const axeSource = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const AxeResult = z.array(
  z.looseObject({
    id: z.string(),
    impact: z.string().nullish(),
    nodes: z.array(z.looseObject({ html: z.string() })),
  }),
);

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
      await expect(app.page.getByRole("main")).not.toContainText(/loading/i, { timeout: 5_000 });
      for (const time of await app.page.getByRole("main").locator("time[datetime]").all()) {
        const zone = `${(await time.textContent()) ?? ""} ${(await time.getAttribute("title")) ?? ""} ${(await time.getAttribute("aria-label")) ?? ""}`;
        if (/\d\d:\d\d/.test(zone)) expect(zone).toMatch(/UTC/);
      }
      await saveScreenshot(app.page, `page-${name.toLowerCase().replaceAll(" ", "-")}`);
      await app.page.evaluate(await axeSource);
      const violations = AxeResult.parse(
        await app.page.evaluate(async () => {
          type Axe = { run(options: unknown): Promise<{ violations: unknown }> };
          return (await (window as unknown as { axe: Axe }).axe.run({ resultTypes: ["violations"] }))
            .violations;
        }),
      );
      expect(
        violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`.slice(0, 600)),
      ).toEqual([]);
    });
  }

  test("[F7] the Runs list is walked with the arrow keys and opened with Enter", async () => {
    await app.page.getByRole("navigation").getByRole("link", { name: "Runs", exact: true }).click();
    const second = app.page.locator("[data-run-id]").nth(1);
    await expect(second).toBeVisible();
    const grid = app.page.getByRole("grid", { name: "Runs" });
    await grid.focus();
    await app.page.keyboard.press("ArrowDown");
    expect(await grid.getAttribute("aria-activedescendant")).toBe(await second.getAttribute("id"));
    const wanted = (await second.getAttribute("data-run-id")) ?? "no second row";
    await app.page.keyboard.press("Enter");
    await expect(app.page.getByRole("region", { name: "Run detail" })).toContainText(wanted);
  });
});
