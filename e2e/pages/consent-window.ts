import { expect, type Page } from "@playwright/test";
import type { RunningApp } from "../launch.ts";

/** The window in which a person decides. Everything here is done as a person does it: by real clicks. */
export class ConsentWindow {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async approve(): Promise<void> {
    await this.#press("Approve");
  }

  async cancel(): Promise<void> {
    await this.#press("Cancel");
  }

  /** Both buttons stay inert for 800 ms after the question is shown or focused; a person waits as well. */
  async #press(name: string): Promise<void> {
    const button = this.page.getByRole("button", { name });
    await expect(button).toHaveAttribute("aria-disabled", "false", { timeout: 10_000 });
    await button.click();
  }
}

const WITHIN_MS = 15_000;

/** Waits until a question that shows `text` is on screen. */
export async function waitForQuestion(app: RunningApp, text: string): Promise<ConsentWindow> {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    for (const page of app.electron.windows()) {
      if (!page.url().includes("consent.html")) continue;
      const shown = await page
        .getByText(text, { exact: false })
        .first()
        .isVisible()
        .catch(() => false);
      if (shown) return new ConsentWindow(page);
    }
    if (Date.now() > deadline) throw new Error(`no question with "${text}" appeared within ${WITHIN_MS} ms`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** How many questions wait on screen: pages of the consent window that show an Approve button. */
export async function questionsOnScreen(app: RunningApp): Promise<number> {
  let count = 0;
  for (const page of app.electron.windows()) {
    if (!page.url().includes("consent.html")) continue;
    const shown = await page
      .getByRole("button", { name: "Approve" })
      .isVisible()
      .catch(() => false);
    if (shown) count += 1;
  }
  return count;
}
