import { expect, test, type Locator } from "@playwright/test";
import { launchApp, type RunningApp } from "./launch.ts";
import { waitForQuestion } from "./pages/consent-window.ts";
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

  test("[F7] while a question waits the engine's address is whole, and what it waits for is said beside its switch", async () => {
    await openPage(app.page, "Settings");
    const agents = app.page.getByRole("switch", { name: /^Agents may change things/ });
    await expect(agents).not.toBeChecked();
    await agents.click();
    const question = await waitForQuestion(app, "Allow agents to change things on a connection");
    await inSight(app.page.getByText("It waits for your approval."));
    await expect(app.page.getByRole("button", { name: "1 question waits" })).toBeVisible();
    const bar = app.page.getByRole("region", { name: "Engine that is shown" });
    const address = bar.getByText(/^127\.0\.0\.1:\d+$/);
    for (const width of [SMALL.width, 960, 961, 1100, 1239, 1240, 1280, 1600]) {
      await resizeWindow(app, width, SMALL.height);
      await inSight(address);
      const cut = await address.evaluate((shown) => shown.scrollWidth > shown.clientWidth);
      expect(cut, `the address is cut at ${width} px`).toBe(false);
    }
    await resizeWindow(app, SMALL.width, SMALL.height);
    await question.cancel();
    await inSight(app.page.getByText("Nothing was changed."));
    await expect(agents).not.toBeChecked();
  });

  test("[F7] a new token's dialog ends in its button, and what it shows scrolls in one box", async () => {
    await openPage(app.page, "Agents");
    const tokens = () => app.page.getByText(/^\d+ tokens?$/);
    await expect(tokens(), "the token of this start is listed and counted").toHaveText("1 token");
    await app.page.getByRole("button", { name: "Make a token" }).click();
    await app.page.getByRole("textbox", { name: "Name" }).fill("small window");
    await app.page.getByRole("button", { name: "Make token" }).click();
    await (await waitForQuestion(app, "small window")).approve();
    const dialog = app.page.getByRole("dialog", { name: "Token for small window" });
    await inSight(dialog.getByRole("button", { name: "I have copied it" }));
    const scrolling = await dialog.evaluate(
      (root) =>
        [...root.querySelectorAll("*")].filter(
          (one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY === "auto",
        ).length,
    );
    expect(scrolling).toBe(1);
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await expect(tokens()).toHaveText("2 tokens");
  });

  test("[F7] the lines between rows are as long as the table", async () => {
    await openPage(app.page, "Functions");
    const table = app.page.getByRole("grid", { name: "Functions" });
    const right = async (what: Locator) => {
      const box = await what.boundingBox();
      return box === null ? undefined : box.x + box.width;
    };
    await expect.poll(() => right(table.getByRole("row").nth(1))).toBe(SMALL.width);
    expect(await right(table.getByRole("row").first())).toBe(SMALL.width);
  });

  test("[F7] a hyphen is as wide as the font draws it, and figures of a column are all as wide as each other", async () => {
    await openPage(app.page, "Runs");
    const figures = (what: Locator) => what.evaluate((one) => getComputedStyle(one).fontVariantNumeric);
    const row = app.page.getByRole("row").nth(1);
    await expect(row).toBeVisible();
    expect(await app.page.evaluate(() => getComputedStyle(document.body).fontFeatureSettings)).not.toContain(
      "tnum",
    );
    expect(await figures(row.getByRole("gridcell").nth(1)), "the function's name").toBe("normal");
    expect(await figures(row.locator("time").first()), "a time").toBe("tabular-nums");
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
