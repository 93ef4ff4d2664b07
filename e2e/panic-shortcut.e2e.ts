import { expect, test } from "@playwright/test";
import { launchApp, type RunningApp } from "./launch.ts";
import { pressKeys } from "./x-keys.ts";

test("[F7] a shortcut that another program has is told on every page, and taken once it is free", async () => {
  const first = await launchApp();
  let second: RunningApp | undefined;
  try {
    second = await launchApp();
    const notice = second.page.getByRole("status").filter({ hasText: "another program has this shortcut" });
    const button = second.page.getByRole("button", { name: "Stop everything" });
    await expect(notice).toBeVisible();
    await expect(button).toHaveAttribute("title", /only here/);
    await second.page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Agents" })
      .click();
    await notice.getByRole("button", { name: "Try again" }).press("Enter");
    await expect(notice).toBeVisible();
  } catch (cause) {
    await second?.close();
    throw cause;
  } finally {
    await first.close();
  }
  try {
    const notice = second.page.getByRole("status").filter({ hasText: "another program has this shortcut" });
    await notice.getByRole("button", { name: "Try again" }).click();
    await expect(notice).toHaveCount(0);
    await pressKeys(["Control", "Alt", "Shift", "Escape"]);
    await expect(second.page.getByText("Everything is stopped.")).toBeVisible();
  } finally {
    await second.close();
  }
});
