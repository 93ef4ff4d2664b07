import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { RunSummary } from "../mcp/contract/domain.ts";
import type { Agent } from "./agents/agent.ts";
import { modernAgent } from "./agents/modern.ts";
import { violations } from "./axe.ts";
import { startEngine } from "./engine-process.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { approveFirstCommand, terminalTabs } from "./pages/terminal-tabs.ts";
import { saveScreenshot } from "./screenshot.ts";

/** The list of where to go, in a page of the app. */
const paletteOf = ({ page }: RunningApp) => {
  const dialog = page.getByRole("dialog", { name: "Go to" });
  const field = dialog.getByRole("combobox", { name: "Where to go" });
  const options = dialog.getByRole("option");
  return {
    dialog,
    field,
    options,
    async open(keys = "Control+k") {
      await page.keyboard.press(keys);
      await expect(field).toBeFocused();
    },
    async goTo(typed: string, first: string | RegExp) {
      await field.fill(typed);
      await expect(options.first()).toHaveAccessibleName(first);
      await expect(options.first()).toHaveAttribute("data-highlighted");
      await page.keyboard.press("Enter");
      await expect(dialog).toHaveCount(0);
    },
  };
};

test.describe("Anywhere by keyboard, through the list of where to go", () => {
  let app: RunningApp;
  let agent: Agent;
  let palette: ReturnType<typeof paletteOf>;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes", "--terminals"] });
    agent = await modernAgent(app.connection.mcp.url, app.token);
    palette = paletteOf(app);
  });
  test.afterAll(async () => {
    await agent.close();
    await app.close();
  });

  const heading = (name: string) => app.page.getByRole("heading", { name, level: 1 });
  const at = (hash: string) => app.page.evaluate((to) => (window.location.hash = to), hash);
  const { run, open, panel, rows } = terminalTabs(
    () => app,
    () => agent,
  );

  test("[F7] it opens from any page, leads to any page, and the page has the focus", async () => {
    for (const [typed, name] of [
      ["dead", "Dead letters"],
      ["brk", "Circuit breakers"],
      ["approv", "Approvals"],
      ["test as", "Test as an agent"],
      ["RÙNS", "Runs"],
    ] as const) {
      await palette.open();
      await palette.goTo(typed, new RegExp(`^${name}`));
      await expect(heading(name)).toBeVisible();
      await expect(app.page.getByRole("main")).toBeFocused();
    }
    await palette.open();
    await palette.goTo("what agents", /^Terminals: what agents started/);
    await expect(app.page.getByRole("region", { name: "What agents started" })).toBeVisible();
  });

  test("[F7] arrow keys choose; Escape and its own key close it, and the focus goes back to where it was", async () => {
    await at("#/runs");
    const search = app.page.getByRole("searchbox", { name: "Search by run id, or by a whole event id" });
    for (const close of ["Escape", "Control+k"]) {
      await search.focus();
      await palette.open();
      await expect(palette.options.first()).toHaveAttribute("data-highlighted");
      await app.page.keyboard.press("ArrowDown");
      await expect(palette.options.nth(1)).toHaveAttribute("data-highlighted");
      await app.page.keyboard.press(close);
      await expect(palette.dialog).toHaveCount(0);
      await expect(search).toBeFocused();
    }
    const button = app.page.getByRole("button", { name: "Go to Ctrl K" });
    await button.focus();
    await app.page.keyboard.press("Enter");
    await expect(palette.field).toBeFocused();
    await app.page.keyboard.type("sett");
    await app.page.keyboard.press("Escape");
    await expect(button).toBeFocused();
    await expect(heading("Runs")).toBeVisible();
  });

  test("[F7] a function is found where no page has read the functions yet", async () => {
    await at("#/agents");
    await app.page.reload();
    await expect(heading("Agents")).toBeVisible();
    await palette.open();
    await palette.goTo("bk carrier", /^book-carrier/);
    await expect(app.page.getByRole("region", { name: "Function detail" })).toContainText("book-carrier");
  });

  test("[F7] runs are found by run id, by event id and by text, as the fields of their page do it", async () => {
    const newest = async () => {
      const answer = await agent.call("ironflow_list_runs", { function_id: "book-carrier", limit: 1 });
      return z.object({ runs: z.array(RunSummary) }).parse(answer.structured).runs[0];
    };
    await expect.poll(newest).toBeDefined();
    const run = await newest();
    const found = app.page.locator("[data-run-id]");
    const field = (name: RegExp) => app.page.getByRole("searchbox", { name });
    await at("#/audit");
    await palette.open();
    await palette.goTo(run?.id ?? "", `Find runs with the id ${run?.id} Runs`);
    await expect(found).toHaveCount(1);
    await expect(field(/^Search by run id/)).toHaveValue(run?.id ?? "no run");
    const eventId = run?.event_id ?? "";
    await palette.open();
    await palette.goTo(eventId, `Find runs of event ${eventId} Runs`);
    await expect(field(/^Search by run id/)).toHaveValue(eventId);
    await expect(app.page.locator(`[data-run-id="${run?.id}"]`)).toBeVisible();
    await palette.open();
    await palette.goTo("order.placed 'x", "Find runs with “order.placed 'x” Runs");
    await expect(field(/^Search in event name/)).toHaveValue("order.placed 'x");
    await expect(app.page.getByText("No run has this text")).toBeVisible();
  });

  test("[F7] the theme changes where one is, and the focus goes back", async () => {
    const root = app.page.locator("html");
    const link = app.page.getByRole("link", { name: "Settings", exact: true });
    for (const theme of ["light", "dark", "system"]) {
      await link.focus();
      await palette.open();
      await palette.goTo(`theme ${theme}`, new RegExp(`^Theme: ${theme}`));
      if (theme === "system") await expect(root).not.toHaveAttribute("data-theme");
      else await expect(root).toHaveAttribute("data-theme", theme);
      await expect(link).toBeFocused();
    }
  });

  test("[F7] it does not cover a dialog, in which something may have been typed, nor an open choice", async () => {
    await at("#/events");
    await app.page.getByRole("button", { name: "Emit event" }).click();
    const dialog = app.page.getByRole("dialog", { name: "Emit an event" });
    await expect(dialog).toBeVisible();
    await app.page.keyboard.press("Control+k");
    await app.page.keyboard.press("Control+Shift+P");
    await expect(palette.dialog).toHaveCount(0);
    await app.page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    const choices = app.page.getByRole("listbox");
    await app.page.getByRole("combobox", { name: "Theme" }).press("Enter");
    await expect(choices).toBeVisible();
    await app.page.keyboard.press("Control+k");
    await expect(palette.dialog).toHaveCount(0);
    await app.page.keyboard.press("Escape");
    await expect(choices).toHaveCount(0);
    await palette.open();
    await app.page.keyboard.press("Escape");
  });

  test("[B6] in a terminal Ctrl+K cuts the shell's line; Ctrl+Shift+P opens the list, which leads to other terminals", async () => {
    await approveFirstCommand(app, agent, "echo first here; exec cat");
    await open(await run("exec bash --norc --noprofile"));
    await expect(rows()).toContainText("bash-");
    const keys = panel().locator(".xterm-helper-textarea");
    await keys.focus();
    await app.page.keyboard.type("echo cut this");
    await expect(rows()).toContainText("echo cut this");
    await app.page.keyboard.press("Control+a");
    await app.page.keyboard.press("Control+k");
    await expect(rows()).not.toContainText("cut this");
    await expect(palette.dialog).toHaveCount(0);
    await app.page.keyboard.type("echo ke''pt\r");
    await expect(rows()).toContainText("kept");

    await palette.open("Control+Shift+P");
    await app.page.keyboard.type("zzz");
    await app.page.keyboard.press("Escape");
    await expect(keys).toBeFocused();
    await app.page.keyboard.type("echo st''ill\r");
    await expect(rows()).toContainText("still");
    await expect(rows()).not.toContainText("zzz");

    const shown = app.page.getByText("Ctrl+Shift with").filter({ visible: true });
    await expect(shown).toContainText("P go to");
    await palette.open("Control+Shift+P");
    await palette.goTo("first here", /^local/);
    await expect(rows()).toContainText("first here");
    await expect(app.page.getByRole("main")).toBeFocused();
    await expect(app.page.getByRole("tab", { selected: true })).toContainText("echo first here");
  });

  test("[F7] axe finds nothing in it in both themes, full, narrowed down, with nothing but a way to runs, and in a narrow window", async () => {
    await at("#/overview");
    for (const [width, height] of [
      [1280, 820],
      [640, 480],
    ] as const) {
      await app.electron.evaluate(
        ({ BrowserWindow }, size) => {
          for (const window of BrowserWindow.getAllWindows()) {
            window.setMinimumSize(1, 1);
            window.setContentSize(size.width, size.height);
          }
        },
        { width, height },
      );
      await expect.poll(() => app.page.evaluate(() => window.innerWidth)).toBe(width);
      expect(await app.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const button = app.page.getByRole("button", { name: /^Go to/ });
      await expect(button).toBeInViewport({ ratio: 1 });
      // Nothing of the top bar covers anything else of it.
      const engine = app.page.getByRole("region", { name: "Engine that is shown" });
      const writes = await engine.getByRole("link").boundingBox();
      const left = (await button.boundingBox())?.x ?? 0;
      expect((writes?.x ?? width) + (writes?.width ?? 0)).toBeLessThan(left);
      for (const theme of ["dark", "light"] as const) {
        await app.page.emulateMedia({ colorScheme: theme });
        await saveScreenshot(app.page, `palette-closed-${width}-${theme}`);
        await palette.open();
        await expect(palette.dialog).toBeInViewport({ ratio: 1 });
        await expect(palette.options.filter({ hasText: "book-carrier" })).toHaveCount(1);
        for (const [name, typed] of [
          ["all", ""],
          ["typed", "o"],
          ["id", "run_01HX"],
        ] as const) {
          await palette.field.fill(typed);
          await expect(palette.options.first()).toHaveAttribute("data-highlighted");
          await saveScreenshot(app.page, `palette-${name}-${width}-${theme}`);
          expect(await violations(app.page)).toEqual([]);
        }
        await app.page.keyboard.press("Escape");
        await expect(palette.dialog).toHaveCount(0);
      }
    }
  });
});

test("[F4] the list goes to another engine as the engines' list does", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ironbridge-engine-"));
  const other = await startEngine(folder, 0);
  const app = await launchApp({
    flags: [`--server-url=${other.url}`],
    env: { IRONFLOW_API_KEY: other.key },
  });
  try {
    const palette = paletteOf(app);
    const caption = app.page.getByRole("region", { name: "Engine that is shown" });
    await expect(caption).toContainText(new URL(other.url).host);
    await palette.open();
    await palette.field.fill("engine");
    await saveScreenshot(app.page, "palette-engine");
    await palette.goTo("go to engine", /^Go to engine /);
    await expect(caption).not.toContainText(new URL(other.url).host);
    await expect(app.page.getByRole("main")).toBeFocused();
  } finally {
    await app.close();
    await other.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
