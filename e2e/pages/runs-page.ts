import type { Locator, Page } from "@playwright/test";

/** The Runs page as a person sees it: found by roles and names, not by markup. */
export class RunsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await this.page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
    await this.page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  }

  /** Rows of the list, without its header. */
  get rows(): Locator {
    return this.page.getByRole("row").and(this.page.locator("[data-run-id]"));
  }

  row(runId: string): Locator {
    return this.page.locator(`[data-run-id="${runId}"]`);
  }

  async openRun(runId: string): Promise<void> {
    await this.row(runId).click();
    await this.page.getByRole("region", { name: "Run detail" }).waitFor();
  }

  async shownRunIds(): Promise<string[]> {
    return this.rows.evaluateAll((rows) => rows.map((row) => row.dataset["runId"] ?? ""));
  }
}
