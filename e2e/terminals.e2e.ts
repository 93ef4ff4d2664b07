import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import type { Agent } from "./agents/agent.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { isRunning } from "./processes.ts";
import { saveScreenshot } from "./screenshot.ts";

const Started = z.looseObject({ session_id: z.string() });
const Output = z.looseObject({
  output: z.string(),
  offset: z.number(),
  next: z.number(),
  has_more: z.boolean(),
  status: z.string(),
  exit_code: z.number().nullable(),
});

/** Reads as an agent does, from offset to offset, until the session has ended and nothing is left. */
async function readToEnd(
  agent: Agent,
  sessionId: string,
): Promise<{ text: string; exitCode: number | null }> {
  let text = "";
  let offset = 0;
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const answer = await agent.call("ironflow_terminal_read", { session_id: sessionId, offset });
    expect(answer.isError, answer.text).toBe(false);
    const page = Output.parse(answer.structured);
    expect(page.offset).toBe(offset);
    text += page.output;
    offset = page.next;
    if (!page.has_more && ["exited", "signalled", "stopped_by_user"].includes(page.status)) {
      return { text, exitCode: page.exit_code };
    }
  }
  throw new Error(`the session did not end; read so far: ${text.slice(-500)}`);
}

test.describe("Terminals: agents work in tabs that the person sees and stops", () => {
  let app: RunningApp;
  let modern: Agent;
  let old: Agent;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
    modern = await modernAgent(app.connection.mcp.url, app.token);
    old = await handshakeAgent(app.connection.mcp.url, app.token);
    await app.page.getByRole("navigation").getByRole("link", { name: "Terminals" }).click();
  });
  test.afterAll(async () => {
    await modern.close();
    await old.close();
    await app.close();
  });

  async function run(agent: Agent, command: string): Promise<string> {
    const answer = await agent.call("ironflow_terminal_run", { command });
    expect(answer.isError, answer.text).toBe(false);
    return Started.parse(answer.structured).session_id;
  }

  test("[F6] a tab is read to its end by offsets, in both eras the same, and shows it", async () => {
    const command =
      "for i in $(seq 1 20000); do echo \"line $i\"; done\nprintf 'the end' # a trailing comment\nexit 7";
    const session = await run(modern, command);
    const wanted = `${Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}\r\n`).join("")}the end`;
    const byModern = await readToEnd(modern, session);
    expect(byModern.text).toBe(wanted);
    expect(byModern.exitCode).toBe(7);
    expect(await readToEnd(old, session)).toEqual(byModern);
    const tab = app.page.getByRole("tab").filter({ hasText: "local" }).first();
    await expect(tab).toBeVisible();
    await expect(app.page.locator(".xterm-rows").first()).toContainText("the end");
    await expect(app.page.getByText(/exit(ed)?.{0,12}7/i).first()).toBeVisible();
    await saveScreenshot(app.page, "terminals");
  });

  test("[F6] Stop ends the whole group, children deaf to SIGTERM and in sessions of their own included", async () => {
    const session = await run(
      old,
      [
        "trap '' TERM INT HUP",
        "bash -c 'trap \"\" TERM INT HUP; while :; do sleep 1; done' & echo child $!",
        'setsid bash -c \'trap "" TERM INT HUP; (trap "" TERM; sleep 600) & while :; do sleep 1; done\' & echo child $!',
        "echo leader $$",
        "wait",
      ].join("\n"),
    );
    const read = async (): Promise<string> =>
      Output.parse((await old.call("ironflow_terminal_read", { session_id: session, offset: 0 })).structured)
        .output;
    await expect.poll(read, { timeout: 15_000 }).toContain("leader ");
    const pids = [...(await read()).matchAll(/(?:child|leader) (\d+)/g)].map((hit) => Number(hit[1]));
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(await isRunning(pid)).toBe(true);
    await app.page.getByRole("tab").filter({ hasText: "trap" }).click();
    await app.page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect
      .poll(async () => (await Promise.all(pids.map(isRunning))).filter(Boolean).length, { timeout: 12_000 })
      .toBe(0);
    const answer = Output.parse(
      (await old.call("ironflow_terminal_read", { session_id: session, offset: 0 })).structured,
    );
    expect(answer.status).toBe("stopped_by_user");
  });

  test("[F6] the person can type into an agent's tab", async () => {
    const session = await run(modern, 'read -r answer; echo "heard $answer"');
    await app.page.getByRole("tab").filter({ hasText: "read -r answer" }).click();
    const terminal = app.page.getByRole("tabpanel").locator(".xterm-helper-textarea");
    await terminal.focus();
    await app.page.keyboard.type("yes please");
    await app.page.keyboard.press("Enter");
    const { text, exitCode } = await readToEnd(modern, session);
    expect(text).toContain("heard yes please");
    expect(exitCode).toBe(0);
  });

  test("a tab shows the command that runs, with nothing in it hidden or in another order", async () => {
    const command = "true \u202e; hsilop # \u2066\n  true \u200b";
    await run(modern, command);
    const shown = "true ⟨U+202E⟩; hsilop # ⟨U+2066⟩⟨U+000A⟩  true ⟨U+200B⟩";
    await expect(app.page.getByText(shown, { exact: true }).first()).toBeVisible();
    await expect(app.page.getByTitle(shown)).toHaveCSS("white-space", "pre");
    expect(await app.page.locator("main").innerText()).not.toContain("\u202e");
  });
});
