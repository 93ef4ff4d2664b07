import { performance } from "node:perf_hooks";
import { expect } from "@playwright/test";
import * as z from "zod/v4";
import { unhurriedClock } from "../../loopback/testing/within.ts";
import { handshakeAgent } from "../agents/handshake.ts";
import { launchApp } from "../launch.ts";
import { waitForQuestion } from "../pages/consent-window.ts";

export interface FloodKeys {
  /** As `keysMs`, before the flood: what the machine needs for a key. */
  calmKeysMs: number[];
  /** From each key's event to the frame after which its character is on screen, in ms, sorted. */
  keysMs: number[];
  /**
   * From the click on Stop, as the page got it, to the tab that says so, in ms; and with the way of the click to the page, but
   * without the time in which the machine had no processor.
   */
  stopMs: number;
  unhurriedStopMs: number;
  /** Printed by `yes` meanwhile. */
  bytes: number;
}

const KEY_EVERY_MS = 100;
const CALM_MS = 2_000;

/** Types into the window while the tab that it shows is flooded by `yes`, then presses Stop. */
export async function floodKeys(ms: number): Promise<FloodKeys> {
  const app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
  try {
    const agent = await handshakeAgent(app.connection.mcp.url, app.token);
    const started = agent.call("ironflow_terminal_run", {
      command: "echo calm; read -r x; exec yes",
      shell: "/bin/sh",
      cwd: "/",
    });
    await (await waitForQuestion(app, "Run a command in a terminal")).approve();
    const { session_id: id } = z.looseObject({ session_id: z.string() }).parse((await started).structured);
    const { page } = app;
    await page.evaluate((to) => (window.location.hash = to), `#/terminals/${id}`);
    const rows = page.locator(".xterm-rows").first();
    await expect(rows).toContainText("calm");
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
    const type = async (forMs: number) => {
      const endMs = performance.now() + forMs;
      for (let key = 0; performance.now() < endMs; key += 1) {
        await page.keyboard.press(key % 20 === 19 ? "ControlOrMeta+a" : "k");
        await page.waitForTimeout(KEY_EVERY_MS);
      }
      const keysMs = await page.evaluate(() => {
        const state = window as unknown as { keysMs: number[] };
        return state.keysMs.splice(0);
      });
      return keysMs.toSorted((a, b) => a - b);
    };
    const calmKeysMs = await type(CALM_MS);
    await agent.call("ironbridge_terminal_input", { session_id: id, text: "\r" });
    await expect(rows).toContainText("y");
    const keysMs = await type(ms);
    await page.keyboard.press("Escape");
    await page.evaluate(() => {
      const state = window as unknown as { stopMs?: number };
      document.addEventListener(
        "click",
        ({ timeStamp }) => {
          const told = new MutationObserver(() => {
            const notes = [...document.querySelectorAll("[role=status]")];
            if (!notes.some(({ textContent }) => textContent.includes("Stopped"))) return;
            told.disconnect();
            requestAnimationFrame(() => setTimeout(() => (state.stopMs = performance.now() - timeStamp)));
          });
          told.observe(document.body, { subtree: true, childList: true, characterData: true });
        },
        { capture: true, once: true },
      );
    });
    const unhurriedMs = await unhurriedClock();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect(page.getByRole("status").filter({ hasText: /Stopped/ })).toBeVisible();
    const readStopMs = () => page.evaluate(() => (window as unknown as { stopMs?: number }).stopMs ?? 0);
    await expect.poll(readStopMs).toBeGreaterThan(0);
    const stopMs = Math.round(await readStopMs());
    const unhurriedStopMs = Math.round(await unhurriedMs());
    const listed = z
      .looseObject({ sessions: z.array(z.looseObject({ output_bytes: z.number() })) })
      .parse((await agent.call("ironbridge_terminal_list")).structured);
    await agent.close();
    return {
      calmKeysMs,
      keysMs,
      stopMs,
      unhurriedStopMs,
      bytes: listed.sessions[0]?.output_bytes ?? 0,
    };
  } finally {
    await app.close();
  }
}
