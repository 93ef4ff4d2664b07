import { expect, type Locator } from "@playwright/test";
import * as z from "zod/v4";
import type { Agent } from "../agents/agent.ts";
import type { RunningApp } from "../launch.ts";
import { waitForQuestion } from "./consent-window.ts";

const Started = z.looseObject({ session_id: z.string() });

/** Runs an agent's first command, which a person approves; those after it are not asked about. */
export async function approveFirstCommand(app: RunningApp, agent: Agent, command: string): Promise<void> {
  const begun = agent.call("ironflow_terminal_run", { command, shell: "/bin/sh" });
  await (await waitForQuestion(app, "Run a command in a terminal")).approve();
  expect((await begun).isError).toBe(false);
}

export interface TerminalTabs {
  /** @returns the id of its session */
  readonly run: (command: string) => Promise<string>;
  readonly open: (id: string) => Promise<string>;
  /** Of the tab that is shown. */
  readonly panel: () => Locator;
  readonly rows: () => Locator;
}

/** The tabs of an app in which an agent runs commands; both are looked up when they are used. */
export function terminalTabs(app: () => RunningApp, agent: () => Agent): TerminalTabs {
  const panel = () => app().page.getByRole("tabpanel").filter({ visible: true });
  return {
    panel,
    rows: () => panel().locator(".xterm-rows"),
    run: async (command) => {
      const answer = await agent().call("ironflow_terminal_run", { command, shell: "/bin/sh", cwd: "/tmp" });
      expect(answer.isError, answer.text).toBe(false);
      return Started.parse(answer.structured).session_id;
    },
    open: (id) => app().page.evaluate((to) => (window.location.hash = to), `#/terminals/${id}`),
  };
}

/**
 * Clicks an address in the output as a hand does it: the terminal draws links under the pointer. The row's element is replaced
 * whenever it is drawn anew, so the place is looked up again until the link answers to the pointer.
 */
export async function clickLink(link: Locator): Promise<void> {
  const page = link.page();
  await expect(async () => {
    const box = await link.boundingBox();
    if (box === null) throw new Error("the address is not on screen");
    await page.mouse.move(box.x + 20, box.y + box.height / 2, { steps: 4 });
    await expect(page.locator(".xterm-cursor-pointer").first()).toBeAttached({ timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
  await page.mouse.down();
  await page.mouse.up();
}
