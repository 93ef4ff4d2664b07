import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { bundleEntry } from "../loopback/testing/bundle.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { saveScreenshot } from "./screenshot.ts";

/** Has an engine, whose disk is full, give up both deliveries of two events; the app starts on what it left behind. */
async function leaveDeadDeliveries(profile: string): Promise<string[]> {
  const dataDir = join(profile, "engine");
  await mkdir(dataDir, { mode: 0o700 });
  const bundle = await bundleEntry(new URL("../engine/testing/dead-deliveries.ts", import.meta.url));
  try {
    const events = ["order-1", "order-2"].map((entityId) => ({
      entityId,
      name: "order.placed",
      data: { order: entityId },
      functionId: "fulfil",
    }));
    const wanted = JSON.stringify({ file: join(dataDir, "engine.db"), events });
    const { stdout } = await promisify(execFile)(process.execPath, [bundle.file, wanted]);
    return z.array(z.string()).parse(JSON.parse(stdout));
  } finally {
    await bundle.remove();
  }
}

test.describe("Deliveries that the engine gave up", () => {
  let profile: string;
  let app: RunningApp;
  let first: string;
  let second: string;

  test.beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), "ironbridge-e2e-"));
    [first = "", second = ""] = await leaveDeadDeliveries(profile);
    app = await launchApp({ userDataDir: profile });
    await app.page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: /^Dead letters/ })
      .click();
    await app.page.getByRole("link", { name: "Not delivered" }).click();
  });
  test.afterAll(async () => {
    await app.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  const deliveries = (eventId: string) => app.page.getByRole("region", { name: `Deliveries of ${eventId}` });

  test("[F5] are listed by event, and discarding asks with the count; cancelled, they stay", async () => {
    await expect(deliveries(first)).toContainText("2 rows share this event: they go together");
    await expect(deliveries(first).getByRole("article")).toHaveCount(2);
    await saveScreenshot(app.page, "dead-deliveries");
    await app.page.getByRole("button", { name: `Discard ${first}` }).click();
    const question = await waitForQuestion(app, "Discard dead outbox rows");
    await expect(
      question.page.getByText("2 rows that share this event id are deleted for good."),
    ).toBeVisible();
    await question.cancel();
    await expect(deliveries(first).getByRole("status")).toContainText("Cancelled.");
    await expect(deliveries(first).getByRole("article")).toHaveCount(2);
  });

  test("[F5] approved, both rows of one event are gone at once, and no row of the other", async () => {
    await app.page.getByRole("button", { name: `Discard ${first}` }).click();
    await (await waitForQuestion(app, "Discard dead outbox rows")).approve();
    await expect(deliveries(first)).toHaveCount(0);
    await expect(deliveries(second).getByRole("article")).toHaveCount(2);
  });

  test("[F4] on a read-only connection the buttons say why they do nothing", async () => {
    const pages = app.page.getByRole("navigation", { name: "Pages" });
    await pages.getByRole("link", { name: "Settings" }).click();
    const mayChange = app.page.getByRole("switch", { name: /^You may change things/ });
    await mayChange.click();
    await expect(mayChange).not.toBeChecked();
    await app.page.goBack();
    const requeue = app.page.getByRole("button", { name: `Requeue ${second}` });
    await expect(requeue).toHaveAttribute("aria-disabled", "true");
    await expect(requeue).toHaveAttribute("title", "This connection is read-only");
    await app.page.goForward();
    await mayChange.click();
    await (await waitForQuestion(app, "Allow changes on a connection")).approve();
    await expect(mayChange).toBeChecked();
    await app.page.goBack();
    await expect(requeue).not.toHaveAttribute("aria-disabled", "true");
  });

  test("[F5] requeued by keyboard, they are delivered and leave the list; Back goes to the other list", async () => {
    await app.page.getByRole("button", { name: `Requeue ${second}` }).press("Enter");
    await (await waitForQuestion(app, "Requeue dead outbox rows")).approve();
    await expect(app.page.getByText("No delivery was given up")).toBeVisible();
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
    await app.page.goBack();
    await expect(app.page.getByRole("link", { name: "Not processed" })).toHaveAttribute(
      "aria-current",
      "page",
    );
    await expect(app.page.getByText("No dead letters are stored")).toBeVisible();
  });
});
