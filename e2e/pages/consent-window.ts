import { expect, type Page } from "@playwright/test";
import type { RunningApp } from "../launch.ts";

const QUESTION = "main[data-question-id]";

/** The window in which a person decides about one question. Everything here is done as a person does it: by real clicks. */
export class ConsentWindow {
  readonly page: Page;
  readonly #questionId: string;

  constructor(page: Page, questionId: string) {
    this.page = page;
    this.#questionId = questionId;
  }

  async approve(): Promise<void> {
    await this.#press("Approve");
  }

  async cancel(): Promise<void> {
    await this.#press("Cancel");
  }

  /**
   * Both buttons stay inert for 800 ms after the question is shown or its window gets the focus, whenever the desktop does
   * that: a click in that time does nothing. A person waits, and presses again while the same question is there.
   */
  async #press(name: string): Promise<void> {
    const button = this.page
      .locator(`main[data-question-id="${this.#questionId}"]`)
      .getByRole("button", { name });
    let pressed = false;
    await expect(async () => {
      if (pressed && !(await this.#isShown())) return;
      await expect(button).toHaveAttribute("aria-disabled", "false", { timeout: 5_000 });
      await button.click({ timeout: 5_000 });
      pressed = true;
      await expect.poll(() => this.#isShown(), { timeout: 2_000 }).toBe(false);
    }).toPass({ timeout: 60_000 });
  }

  async #isShown(): Promise<boolean> {
    return (await questionsIn(this.page)).some(({ id }) => id === this.#questionId);
  }
}

/** The question of a page of the consent window, read at one moment; none when the page has none or is gone. */
async function questionsIn(page: Page, text?: string): Promise<{ id: string }[]> {
  const all = page.locator(QUESTION);
  return (text === undefined ? all : all.filter({ hasText: text }))
    .evaluateAll((shown) => shown.map((one) => ({ id: one.dataset["questionId"] ?? "" })))
    .catch(() => []);
}

const consentPages = (app: RunningApp): Page[] =>
  app.electron.windows().filter((page) => page.url().includes("consent.html"));

/** Waits until a question that shows `text` is on screen. */
export async function waitForQuestion(app: RunningApp, text: string): Promise<ConsentWindow> {
  let found: ConsentWindow | undefined;
  await expect
    .poll(
      async () => {
        for (const page of consentPages(app)) {
          const [question] = await questionsIn(page, text);
          if (question !== undefined) found = new ConsentWindow(page, question.id);
        }
        return found !== undefined;
      },
      { message: `a question with "${text}" appears`, intervals: [50] },
    )
    .toBe(true);
  if (found === undefined) throw new Error("unreachable");
  return found;
}

/** How many questions wait on screen. */
export async function questionsOnScreen(app: RunningApp): Promise<number> {
  const shown = await Promise.all(consentPages(app).map((page) => questionsIn(page)));
  return shown.flat().length;
}
