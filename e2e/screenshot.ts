import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Page } from "@playwright/test";

const repository = resolve(import.meta.dirname, "..");

/**
 * Takes a picture of the window as it is. It goes to `test-results/screenshots`, and to `docs/screenshots`, where the
 * README shows it, when `UPDATE_SCREENSHOTS=1` is set.
 */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["UPDATE_SCREENSHOTS"] === "1" ? "docs/screenshots" : "test-results/screenshots";
  const path = resolve(repository, folder, `${name}.png`);
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, animations: "disabled" });
}
