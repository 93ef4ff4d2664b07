import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Page } from "@playwright/test";

const repository = resolve(import.meta.dirname, "..");

/** The pictures that the README shows. */
const SHOWN = new Set(["runs-demo", "run-paused", "consent", "terminals"]);

/**
 * Takes a picture of the window as it is. It goes to `test-results/screenshots`; those that the README shows go to
 * `docs/screenshots` instead when `UPDATE_SCREENSHOTS=1` is set.
 */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const shown = process.env["UPDATE_SCREENSHOTS"] === "1" && SHOWN.has(name);
  const folder = shown ? "docs/screenshots" : "test-results/screenshots";
  const path = resolve(repository, folder, `${name}.png`);
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, animations: "disabled" });
}
