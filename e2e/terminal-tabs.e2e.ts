import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type Locator } from "@playwright/test";
import * as z from "zod/v4";
import { TerminalListed } from "../mcp/contract/tools/terminal.ts";
import type { Agent } from "./agents/agent.ts";
import { modernAgent } from "./agents/modern.ts";
import { violations } from "./axe.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { resizeWindow } from "./pages/resize-window.ts";
import { approveFirstCommand, terminalTabs } from "./pages/terminal-tabs.ts";
import { saveScreenshot } from "./screenshot.ts";

/** The page as it is in both themes. */
async function pictures(app: RunningApp, name: string): Promise<void> {
  for (const theme of ["dark", "light"] as const) {
    await app.page.emulateMedia({ colorScheme: theme });
    await saveScreenshot(app.page, `terminals-${name}-${theme}`);
  }
}

/** A bell is in sight for a moment only: from here on the page itself notes whether the tab of a command ever showed one. */
function watchForBell({ page }: RunningApp, command: string): Promise<void> {
  return page.evaluate((text) => {
    const state = window as unknown as { bellWasShown: boolean };
    state.bellWasShown = false;
    const look = () => {
      const tabs = [...document.querySelectorAll('[role="tabpanel"]')];
      const notes = tabs
        .filter((tab) => tab.textContent.includes(text))
        .flatMap((tab) => [...tab.querySelectorAll('[role="status"]')]);
      state.bellWasShown ||= notes.some(
        (note) => note.textContent.includes("Bell") && note.checkVisibility(),
      );
      if (state.bellWasShown) observer.disconnect();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  }, command);
}

/** Since it was last watched for. */
function bellWasShown({ page }: RunningApp): Promise<boolean> {
  return page.evaluate(() => (window as unknown as { bellWasShown: boolean }).bellWasShown);
}

test("[B7] first commands that come together are one question; the page says that one waits, and brings it forward", async () => {
  const app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
  const agent = await modernAgent(app.connection.mcp.url, app.token);
  await app.page.evaluate(() => (window.location.hash = "#/terminals"));
  await expect(app.page.getByText("No terminal is open")).toBeVisible();
  await pictures(app, "none");
  const calls = [1, 2, 3].map((n) =>
    agent.call("ironflow_terminal_run", { command: `echo first ${n}`, shell: "/bin/sh" }),
  );
  const question = await waitForQuestion(app, "Run a command in a terminal");
  const banner = app.page.getByText("A command of local waits for your answer.");
  await expect(banner).toBeVisible();
  await pictures(app, "waiting-for-approval");
  expect(await violations(app.page)).toEqual([]);
  await app.page.getByRole("button", { name: "Show the question" }).click();
  await expect.poll(() => question.page.evaluate(() => document.hasFocus())).toBe(true);
  await question.approve();
  for (const call of calls) expect((await call).isError).toBe(false);
  await expect.poll(() => questionsOnScreen(app)).toBe(0);
  await expect(app.page.getByRole("tab")).toHaveCount(3);
  await expect(banner).toBeHidden();
  await agent.close();
  await app.close();
});

test.describe("A terminal's tab", () => {
  let app: RunningApp;
  let agent: Agent;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
    agent = await modernAgent(app.connection.mcp.url, app.token);
    await app.page.evaluate(() => (window.location.hash = "#/terminals"));
    await approveFirstCommand(app, agent, "echo begun");
  });
  test.afterAll(async () => {
    await agent.close();
    await app.close();
  });

  const { run, open, panel, rows } = terminalTabs(
    () => app,
    () => agent,
  );

  test("[B6] a tab is named by keyboard, and its name comes back after a reload", async () => {
    const id = await run("echo to be named; exec sleep 600");
    await open(id);
    await expect(rows()).toContainText("to be named");
    await panel().locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.press("Control+Shift+E");
    const field = app.page.getByRole("textbox", { name: "Name of this tab" });
    await expect(field).toBeFocused();
    await app.page.keyboard.type("deploy \u202eto staging");
    await app.page.keyboard.press("Enter");
    const named = app.page.getByRole("tab").filter({ hasText: "deploy ⟨U+202E⟩to staging" });
    await expect(named).toBeVisible();
    await app.page.reload();
    await expect(named).toBeVisible();
    await panel().getByRole("button", { name: "Rename this tab" }).click();
    await expect(field).toBeFocused();
    await app.page.keyboard.press("Delete");
    await app.page.keyboard.press("Enter");
    await expect(named).toBeHidden();
  });

  test("[B6] two tabs side by side, by keyboard; after a reload they still are", async () => {
    const left = await run("echo on the left; exec cat");
    const right = await run("echo on the right; exec cat");
    await open(right);
    await expect(rows()).toContainText("on the right");
    await open(left);
    await expect(rows()).toContainText("on the left");
    await panel().locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.press("Control+Shift+D");
    await expect(panel()).toHaveCount(2);
    await expect(rows().filter({ hasText: "on the right" })).toBeVisible();
    await app.page.reload();
    await expect(panel()).toHaveCount(2);
    await expect(rows().filter({ hasText: "on the right" })).toBeVisible();
    await expect(rows().filter({ hasText: "on the left" })).toBeVisible();
    const separator = app.page.getByRole("separator", { name: "Width of the left terminal" });
    await separator.focus();
    await app.page.keyboard.press("ArrowRight");
    await expect(separator).toHaveAttribute("aria-valuenow", "55");
    await pictures(app, "split");
    expect(await violations(app.page)).toEqual([]);
    // Both take keys of their own.
    await panel().filter({ hasText: "on the right" }).locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.type("typed there");
    await expect(rows().filter({ hasText: "on the right" })).toContainText("typed there");
    await expect(rows().filter({ hasText: "on the left" })).not.toContainText("typed there");
    await app.page.keyboard.press("Control+Shift+D");
    await expect(panel()).toHaveCount(1);
  });

  test("[B4] a window that is hidden says that its open tab is not seen, and when it is shown the tab has it all", async () => {
    const id = await run("echo before; read -r go; echo while hidden; exec cat");
    await open(id);
    await expect(rows()).toContainText("before");
    await app.page.evaluate(() => {
      const state = window as unknown as { told: boolean[] };
      state.told = [];
      const post: unknown = Reflect.get(MessagePort.prototype, "postMessage");
      if (typeof post !== "function") throw new Error("a port has no postMessage");
      MessagePort.prototype.postMessage = function told(message: unknown, ...rest: never[]) {
        const { type, visible } = (message ?? {}) as { type?: string; visible?: boolean };
        if (type === "visible") state.told.push(visible === true);
        Reflect.apply(post, this, [message, ...rest]);
      };
    });
    const told = () => app.page.evaluate(() => (window as unknown as { told: boolean[] }).told);
    // Playwright keeps every page visible, whatever its window does: so the page is told as Chromium tells it.
    const windowIs = (visibility: "hidden" | "visible") =>
      app.page.evaluate((value) => {
        Object.defineProperty(document, "visibilityState", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, visibility);
    await windowIs("hidden");
    await expect.poll(told).toEqual([false]);
    await agent.call("ironbridge_terminal_input", { session_id: id, text: "\r" });
    const read = { session_id: id, wait_for: "text", wait_text: "while hidden", wait_seconds: 30 };
    expect((await agent.call("ironflow_terminal_read", read)).structured).toMatchObject({ waited: "met" });
    await expect(rows()).not.toContainText("while hidden");
    await windowIs("visible");
    await expect.poll(told).toEqual([false, true]);
    await expect(rows()).toContainText("while hidden");
  });

  test("[B6] the bell is seen and told, in the open tab and in one that nobody looks at", async () => {
    const here = await run("read -r x; printf '\\007'; exec cat");
    const there = await run("read -r x; printf '\\033]0;no bell\\007'; printf '\\007'; exec cat");
    await open(here);
    await expect(rows()).toBeVisible();
    await watchForBell(app, "read -r x");
    await agent.call("ironbridge_terminal_input", { session_id: here, text: "\r" });
    await expect.poll(() => bellWasShown(app)).toBe(true);
    await agent.call("ironbridge_terminal_input", { session_id: there, text: "\r" });
    await expect(app.page.getByText("The bell rang in a terminal of local.")).toBeAttached();
    const tab = app.page.getByRole("tab").filter({ hasText: "no bell" });
    await expect(tab.getByText("rang the bell")).toBeAttached();
    await pictures(app, "bell");
    // Its output is from before the tab was opened: it is still the first that is heard of it.
    await watchForBell(app, "no bell");
    await open(there);
    await expect.poll(() => bellWasShown(app)).toBe(true);
    await expect(tab.getByText("rang the bell")).toBeHidden();
  });

  test("[B6] a command that is longer than what is shown says so, and is shown whole", async () => {
    const command = `echo long # ${"x".repeat(5_000)} the end`;
    await open(await run(command));
    await expect(
      panel().getByText("the command is longer than what is shown: 5,020 characters"),
    ).toBeVisible();
    await panel().getByRole("button", { name: "Show the whole command" }).click();
    await expect(app.page.getByRole("group", { name: "The command" })).toHaveText(command);
    await saveScreenshot(app.page, "terminals-whole-command");
    expect(await violations(app.page)).toEqual([]);
    await app.page.keyboard.press("Escape");
  });

  test("[B6] the output is saved as text and as asciicast v2, for its owner only", async () => {
    const id = await run(
      "stty -echo; printf '\\033[32mgreen\\033[0m\\n'; read -r x; printf 'ä€😀\\n'; exit 3",
    );
    await open(id);
    await expect(rows()).toContainText("green");
    const greenMs = performance.now();
    await app.page.waitForTimeout(200);
    const pauseSeconds = (performance.now() - greenMs) / 1_000;
    await agent.call("ironbridge_terminal_input", { session_id: id, text: "\r" });
    await expect(panel().getByText("exit code 3")).toBeVisible();
    const chooses = (chosen: string) =>
      app.electron.evaluate(({ dialog }, filePath) => {
        dialog.showSaveDialog = async () => ({ canceled: false, filePath });
      }, chosen);
    await chooses(app.userDataDir);
    await panel().getByRole("button", { name: "Save the output as text" }).click();
    const refused = `It could not be saved: ${app.userDataDir} cannot be written (a folder is in its place)`;
    await expect(panel().getByText(refused)).toBeVisible();
    await pictures(app, "not-saved");
    for (const [button, name] of [
      ["Save the output as text", "out.txt"],
      ["Save a recording (asciicast)", "out.cast"],
    ] as const) {
      const path = join(app.userDataDir, name);
      await chooses(path);
      await panel().getByRole("button", { name: button }).click();
      await expect(panel().getByText(`Saved as ${path}`)).toBeVisible();
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    expect(await readFile(join(app.userDataDir, "out.txt"), "utf8")).toBe("green\nä€😀\n");
    const [header = "", ...events] = (await readFile(join(app.userDataDir, "out.cast"), "utf8"))
      .trim()
      .split("\n");
    expect(JSON.parse(header)).toMatchObject({ version: 2 });
    const Event = z.tuple([z.number(), z.enum(["o", "r"]), z.string()]);
    const all = events.map((line) => Event.parse(JSON.parse(line)));
    const read = all.filter(([, kind]) => kind === "o");
    // It began with the size of a terminal that no tab shows yet, or with the tab's own.
    const { width, height } = z.object({ width: z.number(), height: z.number() }).parse(JSON.parse(header));
    const sizes = [`${width}x${height}`, ...all.flatMap(([, kind, size]) => (kind === "r" ? [size] : []))];
    const { structured } = await agent.call("ironbridge_terminal_list");
    const { sessions } = TerminalListed.parse(structured);
    const now = sessions.find((session) => session.session_id === id)?.size;
    expect(sizes.at(-1)).toBe(`${now?.cols}x${now?.rows}`);
    expect(read.map(([, , text]) => text).join("")).toBe("\u001b[32mgreen\u001b[0m\r\nä€😀\r\n");
    // A millisecond for the rounding of the recording.
    expect((read.at(-1)?.[0] ?? 0) - (read[0]?.[0] ?? 0)).toBeGreaterThan(pauseSeconds - 0.001);
  });

  test("[B2] a program that begins to wait for input in a tab that is not in view is told of by a notification, once", async () => {
    await app.electron.evaluate(({ Notification }) => {
      const shown: string[] = [];
      (globalThis as unknown as { shown: string[] }).shown = shown;
      Notification.isSupported = () => true;
      Notification.prototype.show = function show(this: { body: string }) {
        shown.push(this.body);
      };
    });
    const other = await run("echo in view; exec sleep 600");
    await open(other);
    await expect(rows()).toContainText("in view");
    const noticed = () => app.electron.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    const told = ["A program that local started waits for someone to type."];
    expect(await noticed()).toEqual([]);
    const id = await run(
      "printf 'Password: '; stty -echo; read -r secret; stty echo; printf '\\nAgain: '; read -r x; echo; echo done",
    );
    await expect.poll(noticed).toEqual(told);
    await app.electron.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      // A display without a window manager gives nobody the focus.
      BrowserWindow.getFocusedWindow = () => window ?? null;
    });
    await open(id);
    await expect(panel().getByText("Waiting for input")).toBeVisible();
    await pictures(app, "waiting-for-input");
    await panel().locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.type("hunter2");
    await app.page.keyboard.press("Enter");
    // It waits once more, before the eyes of the person.
    await expect(rows()).toContainText("Again:");
    await expect(panel().getByText("Waiting for input")).toBeVisible();
    await app.page.keyboard.press("Enter");
    const read = await agent.call("ironflow_terminal_read", {
      session_id: id,
      wait_for: "exit",
      wait_seconds: 50,
    });
    expect(read.structured).toMatchObject({ exit_code: 0 });
    expect(read.text).toContain("done");
    expect(read.text).not.toContain("hunter2");
    expect(await noticed()).toEqual(told);
  });

  test("[B6] with twelve tabs, an ended one among them, the keyboard goes from one to the next and axe finds nothing", async () => {
    for (let tab = 1; tab <= 12; tab += 1) await run(`echo tab number ${tab}; exit ${tab % 3}`);
    const newest = app.page.getByRole("tab").first();
    await expect(newest).toContainText("tab number 12");
    await newest.click();
    await expect(newest).toHaveAttribute("aria-selected", "true");
    await panel().locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.press("Control+Shift+PageDown");
    await expect(app.page.getByRole("tab").nth(1)).toHaveAttribute("aria-selected", "true");
    await app.page.keyboard.press("F6");
    await pictures(app, "twelve");
    expect(await violations(app.page)).toEqual([]);
  });

  test("[B6] a paste that does not fit is refused as a whole, in a sentence; one that fits arrives whole", async () => {
    const id = await run("stty -icanon -echo; echo ready; head -c 900000 | tr -d y | wc -c");
    await open(id);
    await expect(rows()).toContainText("ready");
    const paste = (text: string) =>
      panel()
        .locator(".xterm-helper-textarea")
        .evaluate((field, pasted) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", pasted);
          field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        }, text);
    await paste("y".repeat(3 * 1024 * 1024));
    await expect(panel()).toContainText("Nothing of the paste was typed: it has 3,145,728 bytes");
    await paste("x".repeat(900_000));
    await expect(rows()).toContainText("900000");
  });

  test("[F7] in a narrow window long names cover nothing, and the engine's address is in sight", async () => {
    const longest = await run("echo longest; exec cat");
    const beside = await run("echo beside; exec cat");
    await app.page.evaluate(
      ([a = "", b = ""]) => (window.location.hash = `#/terminals/${a}?beside=${b}`),
      [longest, beside],
    );
    await expect(panel()).toHaveCount(2);
    const named = panel().filter({ hasText: "echo longest" });
    await named.getByRole("button", { name: "Rename this tab" }).click();
    await app.page.keyboard.type("n".repeat(80));
    await app.page.keyboard.press("Enter");
    const tab = app.page.getByRole("tab").filter({ hasText: "nnn" });
    await expect(tab).toBeVisible();
    const edges = async (what: Locator) => {
      const box = await what.boundingBox();
      if (box === null) throw new Error("it is not on screen");
      return { left: box.x, right: box.x + box.width };
    };
    try {
      for (const [width, height] of [
        [1024, 700],
        [800, 500],
      ] as const) {
        await resizeWindow(app, width, height);
        const name = await edges(named.locator("strong"));
        const stop = await edges(named.getByRole("button", { name: "Stop", exact: true }));
        expect(name.right).toBeLessThanOrEqual(stop.left);
        expect((await edges(tab.locator("time"))).right).toBeLessThanOrEqual((await edges(tab)).right);
        const engine = app.page.getByRole("region", { name: "Engine that is shown" });
        const controls = await edges(app.page.getByRole("button", { name: "Go to" }));
        expect((await edges(engine.getByRole("link"))).right).toBeLessThanOrEqual(controls.left);
        await expect(engine.getByTitle(/^http:/)).toHaveJSProperty(
          "scrollWidth",
          await engine.getByTitle(/^http:/).evaluate((address) => address.clientWidth),
        );
        await pictures(app, `long-names-${width}`);
      }
    } finally {
      await resizeWindow(app, 1280, 820);
    }
  });
});
