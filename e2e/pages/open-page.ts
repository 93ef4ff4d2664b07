import type { Page } from "@playwright/test";

/** Goes to a page of the app as a person does. Its link may carry a number behind the name. */
export async function openPage(page: Page, name: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Pages" })
    .getByRole("link", { name: new RegExp(`^${name}`) })
    .click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}
