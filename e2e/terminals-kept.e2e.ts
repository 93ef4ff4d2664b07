import { expect, test } from "@playwright/test";
import { TERMINAL_LIMITS } from "../bridge/contract/api.ts";
import type { Agent } from "./agents/agent.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { approveFirstCommand, terminalTabs } from "./pages/terminal-tabs.ts";

test.describe("Who watches what comes and goes in the terminals", () => {
  let app: RunningApp;
  let agent: Agent;

  test.beforeEach(async () => {
    app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
    agent = await modernAgent(app.connection.mcp.url, app.token);
    await app.page.evaluate(() => (window.location.hash = "#/terminals"));
    await approveFirstCommand(app, agent, "echo begun");
  });
  test.afterEach(async () => {
    await agent.close();
    await app.close();
  });

  const { run, open, panel, rows } = terminalTabs(
    () => app,
    () => agent,
  );
  const input = () => panel().locator(".xterm-helper-textarea");
  const tab = (text: string) => app.page.getByRole("tab").filter({ hasText: text });

  test("[B6] keeps the tab on screen, with the keyboard in it, when one is too many and an older one goes", async () => {
    await tab("echo begun").click();
    await expect(panel().getByText("exit code 0")).toBeVisible();
    await input().focus();
    for (let nth = 1; nth < TERMINAL_LIMITS.sessions; nth += 1) await run(`echo number ${nth}.`);
    await expect(tab("number 1.")).toHaveCount(1);
    await run("echo one too many");
    await expect(tab("one too many")).toBeVisible();
    await expect(tab("number 1.")).toHaveCount(0);
    await expect(tab("echo begun")).toHaveAttribute("aria-selected", "true");
    await expect(panel().locator("strong + code")).toHaveText("echo begun");
    await expect(input()).toBeFocused();
  });

  test("[B6] who left the tabs is not taken back into them by a new one", async () => {
    await input().focus();
    await app.page.getByRole("link", { name: "Tabs", exact: true }).click();
    await app.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (const name of ["second", "third"]) {
      await run(`echo the ${name}`);
      await expect(rows()).toContainText(`the ${name}`);
    }
    await expect(app.page.locator("body")).toBeFocused();
  });

  test("[B6] finds a tab scrolled back to where they left it after they passed it while it was drawn", async () => {
    const mine = await run("seq 15000; exec cat");
    const first = () => rows().locator("> div").first().textContent();
    await open(mine);
    await expect(rows()).toContainText("15000");
    await input().focus();
    const height = await rows().locator("> div").count();
    const line = String(Number(await first()) - 5 * (height - 1));
    for (let pages = 0; pages < 5; pages += 1) await app.page.keyboard.press("Shift+PageUp");
    await expect.poll(first).toBe(line);
    // More lines than hidden tabs keep together.
    const openOthers = async () => {
      let other = "";
      for (let at = 0; at < 3; at += 1) {
        other = await run(`seq 15000; echo other ${at}; exec cat`);
        await open(other);
        await expect(rows()).toContainText(`other ${at}`);
      }
      return other;
    };
    const other = await openOthers();
    await app.page.evaluate(
      async ([passed = "", to = ""]) => {
        window.location.hash = `#/terminals/${passed}`;
        while (document.querySelector(`[data-session="${passed}"]:not([hidden]) .xterm`) === null)
          await new Promise((looked) => setTimeout(looked));
        window.location.hash = `#/terminals/${to}`;
      },
      [mine, other],
    );
    await expect(rows()).toContainText("other 2");
    await open(mine);
    await expect.poll(first).toBe(line);
    // From there on they scroll themselves.
    await input().focus();
    await app.page.keyboard.press("Shift+PageUp");
    const above = String(Number(line) - (height - 1));
    await expect.poll(first).toBe(above);
    await openOthers();
    await open(mine);
    await expect.poll(first).toBe(above);
  });

  test("[B6] copies nothing else than what they selected when the terminal gets narrower", async () => {
    await open(await run(`echo ${"word ".repeat(60)}; echo needle; exec cat`));
    await rows().getByText("needle", { exact: true }).dblclick({ force: true }); // its screen takes the clicks
    const selected = panel().locator(".xterm-selection > *");
    await expect(selected).not.toHaveCount(0);
    const { right } = await panel()
      .locator(".xterm-screen")
      .evaluate((screen) => screen.getBoundingClientRect());
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.setContentSize(1000, 820);
    });
    await expect
      .poll(() =>
        panel()
          .locator(".xterm-screen")
          .evaluate((screen) => screen.getBoundingClientRect().right),
      )
      .toBeLessThan(right);
    await expect(selected).toHaveCount(0);
  });
});
