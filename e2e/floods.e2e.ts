import { expect, test } from "@playwright/test";
import type { Agent } from "./agents/agent.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { approveFirstCommand, terminalTabs } from "./pages/terminal-tabs.ts";

/** More lines than a tab keeps. */
const FLOOD_LINES = 60_000;
/** Numbers its lines; the last one says so. */
const flood = (lines: number) => `seq ${lines}; echo "end of ${lines}"`;

test.describe("A tab in a flood", () => {
  let app: RunningApp;
  let agent: Agent;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
    agent = await modernAgent(app.connection.mcp.url, app.token);
    await approveFirstCommand(app, agent, "true");
  });
  test.afterAll(async () => {
    await agent.close();
    await app.close();
  });

  const { run, open, panel, rows } = terminalTabs(
    () => app,
    () => agent,
  );
  const go = (id: string) => agent.call("ironbridge_terminal_input", { session_id: id, text: "\r" });
  /** The numbered lines on screen. */
  const numbers = async () =>
    (await rows().locator("> div").allTextContents()).map((line) => Number(line.trim()) || 0);

  test("[B4] a frame draws each row once, not once more for a selection that is not there", async () => {
    const id = await run(`echo ready; read -r go; ${flood(5 * FLOOD_LINES)}; exec cat`);
    await open(id);
    await expect(rows()).toContainText("ready");
    await app.page.evaluate(() => {
      const state = window as unknown as { drawn: Map<number, number> };
      state.drawn = new Map();
      const shown = [...document.querySelectorAll(".xterm-rows")].find((one) => one.checkVisibility());
      const first = shown?.firstElementChild;
      if (first == null) throw new Error("there is no row");
      new MutationObserver((changes) => {
        // The same for all that happens in one frame.
        const frame = Number(document.timeline.currentTime);
        state.drawn.set(frame, (state.drawn.get(frame) ?? 0) + changes.length);
      }).observe(first, { childList: true });
    });
    await go(id);
    await expect(rows()).toContainText(`end of ${5 * FLOOD_LINES}`);
    const drawn = await app.page.evaluate(() => [
      ...(window as unknown as { drawn: Map<number, number> }).drawn.values(),
    ]);
    // One in which the terminal is fitted to its box may be drawn for that too.
    const times = drawn.reduce((sum, count) => sum + count, 0);
    expect(times / drawn.length, `draws of each frame: ${drawn.join()}`).toBeLessThan(1.25);
  });

  test("[B6] who scrolls back while output comes stays there, and the End of it is found again", async () => {
    const id = await run(`read -r go; seq 3000; read -r go; seq 3001 9000; echo all of it; exec cat`);
    await open(id);
    await expect(rows()).toBeVisible();
    await go(id);
    await expect(rows()).toContainText("3000");
    await panel().locator(".xterm-screen").hover();
    await app.page.mouse.wheel(0, -400);
    await expect.poll(async () => Math.max(...(await numbers()))).toBeLessThan(3_000);
    const before = await numbers();
    await go(id);
    const read = { session_id: id, wait_for: "text", wait_text: "all of it", wait_seconds: 30 };
    expect((await agent.call("ironflow_terminal_read", read)).structured).toMatchObject({ waited: "met" });
    expect(await numbers()).toEqual(before);
    // A wheel goes on from there.
    await app.page.mouse.wheel(0, -100);
    await expect.poll(async () => Math.max(...(await numbers()))).toBeLessThan(Math.max(...before));
    expect(Math.max(...(await numbers()))).toBeGreaterThan(Math.max(...before) - 40);
    await panel().locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.press("Shift+PageDown");
    await app.page.keyboard.press("Control+End");
    await app.page.keyboard.press("a");
    await expect(rows()).toContainText("all of it");
  });

  test("[B6] a key of who scrolled back goes to the end of what comes, and stays there", async () => {
    // Fewer lines than a tab keeps, with some in every frame.
    const slowly = `perl -e '$| = 1; for (1 .. 4000) { print "line $_\\n"; select(undef, undef, undef, 0.001) }'`;
    const id = await run(`stty -echo; seq 2000; read -r go; ${slowly}; echo all of it; exec cat`);
    await open(id);
    await expect(rows()).toContainText("2000");
    await panel().locator(".xterm-screen").hover();
    await app.page.mouse.wheel(0, -400);
    await expect(rows()).not.toContainText("2000");
    await go(id);
    const read = { session_id: id, wait_for: "text", wait_text: "line 500", wait_seconds: 30 };
    expect((await agent.call("ironflow_terminal_read", read)).structured).toMatchObject({ waited: "met" });
    await expect(rows()).not.toContainText("line");
    await panel().locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.press("a");
    await expect(rows()).toContainText("all of it");
  });

  test("[B6] after a clear and the same output again the scroll bar is where the output is", async () => {
    const clear = String.raw`printf '\033[H\033[2J\033[3J'`;
    const id = await run(
      `stty -echo; while :; do seq 15000; echo the end; read -r go; ${clear}; sleep 0.3; done`,
    );
    await open(id);
    await expect(rows()).toContainText("the end");
    // A person goes up and down again, so that the end is a line that was gone to.
    await panel().locator(".xterm-screen").hover();
    await app.page.mouse.wheel(0, -100);
    await expect(rows()).not.toContainText("the end");
    await app.page.mouse.wheel(0, 400);
    await expect(rows()).toContainText("the end");
    await go(id);
    await expect(rows()).not.toContainText("the end");
    await expect(rows()).toContainText("the end");
    const before = Math.max(...(await numbers()));
    await panel().locator(".xterm-helper-textarea").focus();
    await app.page.keyboard.press("Shift+PageUp");
    await expect(rows()).not.toContainText("the end");
    const page = await rows().locator("> div").count();
    expect(Math.max(...(await numbers()))).toBeGreaterThan(before - 2 * page);
    // Scrolled back, what a clear puts in the place of it is drawn.
    await go(id);
    await expect.poll(async () => (await numbers())[0]).toBe(1);
    await app.page.keyboard.press("a");
    await expect(rows()).toContainText("the end");
  });

  test("[B4] hidden tabs with much output are let go, and are drawn again from the log when they are shown", async () => {
    const ids: string[] = [];
    for (let tab = 0; tab < 4; tab += 1) ids.push(await run(`${flood(FLOOD_LINES + tab)}; exec cat`));
    const attached = () => app.page.locator(".xterm").count();
    for (const [tab, id] of ids.entries()) {
      await open(id);
      await expect(rows()).toContainText(`end of ${FLOOD_LINES + tab}`);
    }
    // The open one, and the one before.
    await expect.poll(attached).toBe(2);
    await open(ids[0] ?? "");
    await expect(rows()).toContainText(`end of ${FLOOD_LINES}`);
    await expect.poll(attached).toBe(2);
    await app.page.keyboard.press("Control+Shift+PageDown");
  });
});
