import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Locator } from "@playwright/test";
import type { Agent } from "./agents/agent.ts";
import { modernAgent } from "./agents/modern.ts";
import { TerminalRecord } from "../electron/contract/terminals.ts";
import { violations } from "./axe.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { resizeWindow } from "./pages/resize-window.ts";
import { approveFirstCommand, terminalTabs } from "./pages/terminal-tabs.ts";
import { saveScreenshot } from "./screenshot.ts";

/** As many as are kept. */
const KEPT = 2_000;
/** More rows than these are not drawn, however many there are: a window of them, and some around it. */
const DRAWN_AT_MOST = 80;
const PROOFS = TerminalRecord.shape.proof.unwrap().options;

/** What earlier starts left in a profile, the oldest first. */
function earlier(nth: number): TerminalRecord {
  const at = new Date(Date.UTC(2026, 0, 1) + nth * 60_000).toISOString();
  const proof = PROOFS[nth % PROOFS.length] ?? "reaped";
  const started = proof !== "never_started";
  return {
    session_id: `term_${String(nth).padStart(8, "0")}`,
    agent: "an agent with a name that is rather long",
    shell: "/bin/sh",
    cwd: "/home/someone/work",
    pid: started ? 4_000_000 + nth : null,
    started_at: at,
    ended_at: at,
    status: started ? "signalled" : "failed_to_start",
    exit_code: null,
    signal: started ? "SIGKILL" : null,
    left_behind: 0,
    gone_at: at,
    proof,
  };
}

test.describe("What agents started, when that is much", () => {
  let app: RunningApp;
  let agent: Agent;
  let userDataDir: string;

  test.beforeAll(async () => {
    userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-e2e-"));
    const records = Array.from({ length: KEPT }, (_, nth) => earlier(nth));
    await writeFile(join(userDataDir, "terminals.json"), JSON.stringify({ version: 1, records }), {
      mode: 0o600,
    });
    app = await launchApp({ flags: ["--allow-writes", "--terminals"], userDataDir });
    agent = await modernAgent(app.connection.mcp.url, app.token);
    await app.page.evaluate(() => (window.location.hash = "#/terminals/history"));
  });
  test.afterAll(async () => {
    await agent.close();
    await app.close();
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const history = () => app.page.getByRole("region", { name: "What agents started" });
  const grid = () => history().getByRole("grid", { name: "List of processes" });
  const rows = () => history().getByRole("row");
  const detail = () => app.page.getByRole("region", { name: "Process detail" });
  const { run } = terminalTabs(
    () => app,
    () => agent,
  );

  const resize = (width: number) => resizeWindow(app, width, 720);
  /** How much wider than itself is what any box in it shows by scrolling sideways, in px. */
  const sideways = (box: Locator) =>
    box.evaluate((root) =>
      Math.max(
        ...[root, ...root.querySelectorAll("*")]
          .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
          .map((one) => one.scrollWidth - one.clientWidth),
      ),
    );

  for (const width of [760, 900, 961, 1024, 1240, 1280, 1440])
    test(`[B3] every process has one line, and nothing scrolls sideways, in a window of ${width}`, async () => {
      await resize(width);
      await expect(rows().nth(5)).toBeVisible();
      expect(await rows().count()).toBeLessThan(DRAWN_AT_MOST);
      expect(await sideways(history())).toBe(0);
      expect(await app.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const heights = await rows().evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      expect(new Set(heights)).toEqual(new Set([heights[0]]));
      for (const theme of ["dark", "light"] as const) {
        await app.page.emulateMedia({ colorScheme: theme });
        await saveScreenshot(app.page, `terminals-history-${width}-${theme}`);
      }
    });

  test("[B3] the newest is first; by keyboard all are reached and opened, and the whole proof is told", async () => {
    await resize(1280);
    await expect(grid()).toHaveAttribute("aria-rowcount", String(KEPT + 1));
    await expect(rows().nth(1)).toHaveAttribute("data-session-id", earlier(KEPT - 1).session_id);
    await grid().focus();
    await app.page.keyboard.press("End");
    const oldest = history().locator(`[data-session-id="${earlier(0).session_id}"]`);
    await expect(oldest).toBeInViewport();
    await expect(history().getByRole("columnheader", { name: "Proof" })).toBeInViewport();
    expect(await rows().count()).toBeLessThan(DRAWN_AT_MOST);
    await app.page.keyboard.press("Enter");
    await expect(detail()).toContainText(
      "The system reported its end; nothing of its session was found afterwards.",
    );
    await expect(detail()).toContainText("Not kept after a restart of the app.");
    for (const theme of ["dark", "light"] as const) {
      await app.page.emulateMedia({ colorScheme: theme });
      await saveScreenshot(app.page, `terminals-history-detail-${theme}`);
    }
    expect(await violations(app.page)).toEqual([]);
    expect(await sideways(history())).toBe(0);
    await detail().getByRole("button", { name: "Close the process" }).click();
    await expect(detail()).toHaveCount(0);
  });

  test("[B3] in a small window a process is in the place of the list, and leads back to it", async () => {
    await resize(1024);
    await rows().nth(2).click();
    await expect(detail()).toBeVisible();
    await expect(grid()).toHaveCount(0);
    await saveScreenshot(app.page, "terminals-history-detail-small");
    await detail().getByRole("button", { name: "All processes" }).click();
    await expect(grid()).toBeVisible();
  });

  test("[B3] a process that starts and ends comes on top of the others, and its whole command is told", async () => {
    await resize(1280);
    await approveFirstCommand(app, agent, "echo begun");
    const long = `echo ${"x".repeat(5_000)}\nexit 3 # the last line`;
    const session = await run(long);
    const row = rows().nth(1);
    await expect(row).toHaveAttribute("data-session-id", session);
    await expect(row).toContainText("code 3");
    await expect(row).toContainText("End reported");
    expect(await rows().count()).toBeLessThan(DRAWN_AT_MOST);
    expect(await sideways(history())).toBe(0);
    await row.click();
    await expect(detail()).toContainText(`Its beginning, of ${long.length.toLocaleString("en")} characters.`);
    await saveScreenshot(app.page, "terminals-history-command");
    await detail().getByRole("button", { name: "Show the whole command" }).click();
    const dialog = app.page.getByRole("dialog", { name: "The whole command" });
    await expect(dialog.getByRole("group", { name: "The command" })).toHaveText(long);
    await dialog.getByRole("button", { name: "Close the dialog" }).click();
    await detail().getByRole("button", { name: "Close the process" }).click();
  });
});

test("[B3] a closed tab and a quit end in a proof, also of what a command left behind", async () => {
  const userDataDir = await mkdtemp(join(tmpdir(), "ironbridge-e2e-"));
  const leaves = "trap '' HUP; for n in 1 2; do (setsid sleep 600 >/dev/null 2>&1 &); done; exit 0";
  const proofs = async ({ page }: RunningApp) => {
    await page.evaluate(() => (window.location.hash = "#/terminals/history"));
    return page.getByRole("region", { name: "What agents started" });
  };
  try {
    const first = await launchApp({ flags: ["--terminals"], userDataDir });
    const agent = await modernAgent(first.connection.mcp.url, first.token);
    await approveFirstCommand(first, agent, "exit 0");
    const { run, open, panel } = terminalTabs(
      () => first,
      () => agent,
    );
    const closed = await run(leaves);
    await open(closed);
    await expect(panel().getByText("2 processes live on")).toBeVisible();
    await panel().getByRole("button", { name: "Close", exact: true }).click();
    const told = await proofs(first);
    await expect(told.locator(`[data-session-id="${closed}"]`)).toContainText("End reported");
    await expect(told).toContainText("Nothing is left running");
    for (const command of [leaves, "sleep 600", "trap '' INT; sleep 600"]) await run(command);
    await agent.close();
    await first.close();

    const second = await launchApp({ userDataDir });
    const after = await proofs(second);
    await expect(after.getByText("End reported")).toHaveCount(5);
    await expect(after).toContainText("Nothing is left running: all 5 ended, with proof.");
    await second.close();
  } finally {
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});
