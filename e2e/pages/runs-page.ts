import type { Locator, Page } from "@playwright/test";
import { openPage } from "./open-page.ts";

/** The Runs page as a person sees it: found by roles and names, not by markup. */
export class RunsPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  open(): Promise<void> {
    return openPage(this.page, "Runs");
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
