import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "@playwright/test";
import * as z from "zod/v4";
import { handshakeAgent } from "../agents/handshake.ts";
import { launchApp } from "../launch.ts";
import { waitForQuestion } from "../pages/consent-window.ts";

export interface Away {
  /** Printed while nobody looked. */
  bytes: number;
  /** The longest that one write of the child took, in ms. */
  longestWriteMs: number;
  /** What the app's own list says that it printed. */
  loggedBytes: number;
}

/** Prints some MB a second, far more at once than a terminal holds, for ever, and notes how much, and how long its slowest write took (ms), in a file. */
const printer = (file: string) =>
  `exec perl -MTime::HiRes=time -e 'my $s = ("z" x 78 . "\\r\\n") x 819; my ($n, $most, $told) = (0, 0, 0); while (1) { my $t = time; $n += syswrite(STDOUT, $s); my $e = time; my $d = ($e - $t) * 1000; $most = $d if $d > $most; if ($e - $told > 0.5) { $told = $e; open F, ">", "${file}.new"; print F "$n $most\\n"; close F; rename "${file}.new", "${file}" } select(undef, undef, undef, 0.02) }'`;

/**
 * A child that prints without end, in a tab that the person had open, while its window is hidden for the first half and its
 * renderer is dead for the second. Each half lasts until the child has printed half of `leastBytes`, too: how fast it can is
 * the machine's affair, that it can is ours.
 */
export async function away(ms: number, leastBytes = 0): Promise<Away> {
  const folder = await mkdtemp(join(tmpdir(), "away-"));
  const app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
  try {
    const file = join(folder, "progress");
    const agent = await handshakeAgent(app.connection.mcp.url, app.token);
    const args = { command: `stty -onlcr; ${printer(file)}`, shell: "/bin/sh", cwd: "/" };
    const started = agent.call("ironflow_terminal_run", args);
    await (await waitForQuestion(app, "Run a command in a terminal")).approve();
    const { session_id: id } = z.looseObject({ session_id: z.string() }).parse((await started).structured);
    await app.page.evaluate((to) => (window.location.hash = to), `#/terminals/${id}`);
    await app.page.locator(".xterm-rows").first().waitFor({ state: "attached" });
    const progress = async () => {
      const text = await readFile(file, "utf8").catch(() => "0 0"); // not written yet
      const [bytes = 0, longest = 0] = text.split(" ").map(Number);
      return { bytes, longest };
    };
    const half = async () => {
      const from = (await progress()).bytes;
      await sleep(ms / 2);
      await expect
        .poll(async () => (await progress()).bytes - from, { timeout: 120_000 })
        .toBeGreaterThanOrEqual(leastBytes / 2);
    };
    await expect.poll(async () => (await progress()).bytes).toBeGreaterThan(0);
    const before = await progress();
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.hide();
    });
    await half();
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.webContents.forcefullyCrashRenderer();
    });
    await half();
    const after = await progress();
    const listed = z
      .looseObject({ sessions: z.array(z.looseObject({ output_bytes: z.number() })) })
      .parse((await agent.call("ironbridge_terminal_list")).structured);
    await agent.call("ironbridge_terminal_stop", { session_id: id });
    await agent.close();
    return {
      bytes: after.bytes - before.bytes,
      longestWriteMs: Math.round(after.longest),
      loggedBytes: listed.sessions[0]?.output_bytes ?? 0,
    };
  } finally {
    await app.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
