import { performance } from "node:perf_hooks";
import { expect } from "@playwright/test";
import * as z from "zod/v4";
import { handshakeAgent } from "../agents/handshake.ts";
import { launchApp } from "../launch.ts";
import { waitForQuestion } from "../pages/consent-window.ts";

export interface FloodKeys {
  /** From each key's event to the frame after which its character is on screen, in ms, sorted. */
  keysMs: number[];
  /** From the click on Stop to the tab that says so, in ms. */
  stopMs: number;
  /** Printed by `yes` meanwhile. */
  bytes: number;
}

const KEY_EVERY_MS = 100;

/** Types into the window while the tab that it shows is flooded by `yes`, then presses Stop. */
export async function floodKeys(ms: number): Promise<FloodKeys> {
  const app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
  try {
    const agent = await handshakeAgent(app.connection.mcp.url, app.token);
    const started = agent.call("ironflow_terminal_run", { command: "yes", shell: "/bin/sh", cwd: "/" });
    await (await waitForQuestion(app, "Run a command in a terminal")).approve();
    const { session_id: id } = z.looseObject({ session_id: z.string() }).parse((await started).structured);
    const { page } = app;
    await page.evaluate((to) => (window.location.hash = to), `#/terminals/${id}`);
    await expect(page.locator(".xterm-rows").first()).toContainText("y");
    await page.getByRole("button", { name: "Rename this tab" }).click();
    const field = page.getByRole("textbox", { name: "Name of this tab" });
    await field.fill("");
    await page.evaluate(() => {
      const state = window as unknown as { keysMs: number[] };
      state.keysMs = [];
      document.addEventListener("input", (event) => {
        // The frame after the next one: what was typed is on screen then.
        requestAnimationFrame(() => setTimeout(() => state.keysMs.push(performance.now() - event.timeStamp)));
      });
    });
    const endMs = performance.now() + ms;
    for (let key = 0; performance.now() < endMs; key += 1) {
      await page.keyboard.press(key % 20 === 19 ? "ControlOrMeta+a" : "k");
      await page.waitForTimeout(KEY_EVERY_MS);
    }
    const keysMs = await page.evaluate(() => (window as unknown as { keysMs: number[] }).keysMs);
    await page.keyboard.press("Escape");
    const beganMs = performance.now();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect(page.getByRole("status").filter({ hasText: /Stopped/ })).toBeVisible({ timeout: 10_000 });
    const stopMs = Math.round(performance.now() - beganMs);
    const listed = z
      .looseObject({ sessions: z.array(z.looseObject({ output_bytes: z.number() })) })
      .parse((await agent.call("ironbridge_terminal_list")).structured);
    await agent.close();
    return {
      keysMs: keysMs.toSorted((a, b) => a - b),
      stopMs,
      bytes: listed.sessions[0]?.output_bytes ?? 0,
    };
  } finally {
    await app.close();
  }
}
