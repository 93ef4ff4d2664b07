import { mkdir, readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { errorOf } from "../agents/calls.ts";
import { modernAgent } from "../agents/modern.ts";
import { launchApp, type RunningApp } from "../launch.ts";
import { waitForQuestion } from "../pages/consent-window.ts";
import { processesWithEnv, processTree, stillAlive } from "../processes.ts";

const RESULT = join(import.meta.dirname, "..", "..", "test-results", "bench", "panic.json");
const TERMINALS = 20;
/** A shell and a child that both ignore what can be ignored. */
const DEAF = "trap '' INT TERM HUP; sleep 600 & while :; do sleep 1; done";
const GONE_WITHIN_MS = 20_000;
const Started = z.looseObject({ session_id: z.string() });
/** What a person presses, as Chromium takes it: a click of Playwright looks at the page first, for up to 100 ms. */
const CLICK = { button: "left", clickCount: 1 } as const;

test(`Stop everything with ${TERMINALS} terminals that ignore INT, TERM and HUP`, async () => {
  const app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
  const agent = await modernAgent(app.connection.mcp.url, app.token);
  try {
    const ownPids = new Set((await processTree(app.electron.process().pid ?? 0)).map(({ pid }) => pid));
    const ids: string[] = [];
    for (let at = 0; at < TERMINALS; at += 1) {
      const call = agent.call("ironflow_terminal_run", { command: DEAF });
      // One question: the first command of a token after a start of the app.
      if (at === 0) await (await waitForQuestion(app, "Run a command in a terminal")).approve();
      ids.push(Started.parse((await call).structured).session_id);
    }
    const mainPid = app.electron.process().pid ?? 0;
    // Chromium starts processes of its own meanwhile.
    const ofTerminals = async () =>
      (await processTree(mainPid)).filter(
        ({ pid, command }) => !ownPids.has(pid) && !command.includes("--type="),
      );
    // A shell, its child in the background, and the one that it waits for.
    await expect
      .poll(async () => (await ofTerminals()).length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(3 * TERMINALS);
    const processes = await ofTerminals();
    const load = loadavg()[0] ?? 0;

    const pressed = await pressStop(app);
    let gone = Infinity;
    while (performance.now() - pressed < GONE_WITHIN_MS) {
      if ((await stillAlive(processes)).length === 0) {
        gone = performance.now() - pressed;
        break;
      }
      await sleep(5);
    }
    const left = await Promise.all(ids.map((id) => processesWithEnv(`IRONBRIDGE_TERMINAL=${id}`)));
    expect(left.flat(), "processes that were started meanwhile").toEqual([]);
    const emit = await agent.call("ironflow_emit_event", { event: "never", data: {} });
    expect(errorOf(emit).reason).toBe("stopped");
    const audited = await auditedMs(app);
    const result = {
      terminals: TERMINALS,
      processes: processes.length,
      gone_ms: Math.round(gone),
      audited_ms: audited,
      load,
    };
    await mkdir(join(RESULT, ".."), { recursive: true });
    await writeFile(RESULT, JSON.stringify(result));
    // oxlint-disable-next-line no-console -- the result of a measurement
    console.log(JSON.stringify(result));
    expect(Number.isFinite(gone), "every process is gone").toBe(true);
  } finally {
    await agent.close();
    await app.close();
  }
});

/** Presses the button on the page. @returns when, on this process's clock, in ms */
async function pressStop(app: RunningApp): Promise<number> {
  const box = await app.page.getByRole("button", { name: "Stop everything" }).boundingBox();
  if (box === null) throw new Error("there is no button that stops everything");
  const session = await app.page.context().newCDPSession(app.page);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await session.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
  await session.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at, ...CLICK });
  const pressed = performance.now();
  await session.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at, ...CLICK });
  return pressed;
}

/** What the app itself measured, until all of it was confirmed. */
async function auditedMs(app: RunningApp): Promise<number> {
  let ms: string | undefined;
  await expect
    .poll(
      async () => {
        const text = await readFile(join(app.userDataDir, "audit.jsonl"), "utf8");
        ms = /"event":"panic.on".*"ms":(\d+)/.exec(text)?.[1];
        return ms;
      },
      { timeout: 30_000 },
    )
    .toBeDefined();
  return Number(ms);
}
