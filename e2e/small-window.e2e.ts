import { expect, test, type Locator } from "@playwright/test";
import { launchApp, type RunningApp } from "./launch.ts";
import { openPage } from "./pages/open-page.ts";
import { resizeWindow } from "./pages/resize-window.ts";
import { saveScreenshot } from "./screenshot.ts";

const SMALL = { width: 900, height: 600 };

test.describe("A window of 900 by 600", () => {
  let app: RunningApp;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo"] });
    await resizeWindow(app, SMALL.width, SMALL.height);
  });
  test.afterAll(async () => {
    await app.close();
  });

  const inSight = (what: Locator) => expect(what).toBeInViewport({ ratio: 1 });

  test("[F7] dialogs about tokens end in their buttons, and what they ask scrolls; the token of this start is listed", async () => {
    await openPage(app.page, "Agents");
    const local = app.page.getByRole("region", { name: "Token of this start" });
    await expect(local).toContainText("local");
    await expect(local).toContainText(app.connection.mcp.token_file);
    for (const theme of ["Dark", "Light"]) {
      await app.page.getByRole("combobox", { name: "Theme" }).click();
      await app.page.getByRole("option", { name: theme }).click();
      await app.page.getByRole("button", { name: "Make a token" }).click();
      const dialog = app.page.getByRole("dialog", { name: "Make a token for an agent" });
      await dialog.getByRole("checkbox", { name: /^Terminal/ }).click();
      await expect(dialog.getByRole("radiogroup", { name: "Its commands" })).toBeVisible();
      await inSight(dialog);
      await inSight(dialog.getByRole("button", { name: "Make token" }));
      await saveScreenshot(app.page, `small-token-${theme.toLowerCase()}`);
      const seconds = dialog.getByLabel("In so many seconds");
      await seconds.focus();
      await inSight(seconds);
      await dialog.getByRole("button", { name: "Close", exact: true }).click();
      await expect(dialog).toHaveCount(0);
    }
  });

  test("[F7] no page is wider than the window", async () => {
    for (const name of [
      "Overview",
      "Runs",
      "Events",
      "Functions",
      "Dead letters",
      "Circuit breakers",
      "Settings",
    ]) {
      await openPage(app.page, name);
      await expect(app.page.getByRole("main")).not.toContainText(/loading/i);
      await saveScreenshot(app.page, `small-${name.toLowerCase().replaceAll(" ", "-")}`);
      expect(await app.page.evaluate(() => document.documentElement.scrollWidth)).toBe(SMALL.width);
    }
  });

  test("[F7] a breaker says how many failures it keeps before they are shown", async () => {
    await openPage(app.page, "Circuit breakers");
    const failures = app.page.getByRole("button", { name: /^Failures \(\d+\)$/ }).first();
    await expect(failures).toBeVisible();
    await failures.press("Enter");
    await expect(app.page.getByRole("list", { name: "Failures, newest first" })).toBeVisible();
  });
});
