import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import type { Agent } from "./agents/agent.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { clickLink } from "./pages/terminal-tabs.ts";
import { isRunning, processTree, processesWithEnv } from "./processes.ts";
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
  const deadline = Date.now() + 120_000;
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

test.describe("Terminals: commands are asked about", () => {
  test("[F6] the first command of an agent is asked about, whole, with shell and folder; the next is not", async () => {
    const app = await launchApp({
      flags: ["--allow-writes", "--terminals"],
      env: { SSH_AUTH_SOCK: "/run/agent.sock", IRONFLOW_API_KEY: "key-that-no-shell-may-see" },
    });
    const modern = await modernAgent(app.connection.mcp.url, app.token);
    const script = "echo first\n# and a second line";
    const declined = modern.call("ironflow_terminal_run", { command: script, shell: "/bin/sh", cwd: "/usr" });
    const question = await waitForQuestion(app, "Run a command in a terminal");
    for (const text of ["echo first", "# and a second line", "/bin/sh", "/usr"])
      await expect(question.page.getByText(text, { exact: true }).first()).toBeVisible();
    await saveScreenshot(question.page, "consent-command");
    await question.cancel();
    expect((await declined).isError).toBe(true);

    const approved = modern.call("ironflow_terminal_run", { command: "env", shell: "/bin/sh" });
    await (await waitForQuestion(app, "Run a command in a terminal")).approve();
    const session = Started.parse((await approved).structured).session_id;
    const { text } = await readToEnd(modern, session);
    expect(text).toContain("SSH_AUTH_SOCK=/run/agent.sock");
    expect(text).not.toContain("key-that-no-shell-may-see");
    expect(text).not.toMatch(/^(ELECTRON_|IRONBRIDGE_BRIDGE_TOKEN|IRONFLOW_TERMINAL)/m);
    expect((await modern.call("ironflow_terminal_run", { command: "true" })).isError).toBe(false);
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
    await modern.close();
    await app.close();
  });
});

test.describe("Terminals: agents work in tabs that the person sees and stops", () => {
  let app: RunningApp;
  let modern: Agent;
  let old: Agent;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
    modern = await modernAgent(app.connection.mcp.url, app.token);
    old = await handshakeAgent(app.connection.mcp.url, app.token);
    await app.page
      .getByRole("navigation")
      .getByRole("link", { name: /^Terminals/ })
      .click();
    // The first command of this start is asked about.
    const first = modern.call("ironflow_terminal_run", { command: "true" });
    await (await waitForQuestion(app, "Run a command in a terminal")).approve();
    expect((await first).isError).toBe(false);
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
    await expect.poll(read).toContain("leader ");
    const pids = [...(await read()).matchAll(/(?:child|leader) (\d+)/g)].map((hit) => Number(hit[1]));
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(await isRunning(pid)).toBe(true);
    await app.page.getByRole("tab").filter({ hasText: "trap" }).click();
    await app.page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect.poll(async () => (await Promise.all(pids.map(isRunning))).filter(Boolean).length).toBe(0);
    const status = async () =>
      Output.parse((await old.call("ironflow_terminal_read", { session_id: session, offset: 0 })).structured)
        .status;
    await expect.poll(status).toBe("stopped_by_user");
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
    await app.page.getByRole("tab").filter({ hasText: "hsilop" }).click();
    const shown = "true ⟨U+202E⟩; hsilop # ⟨U+2066⟩⟨U+000A⟩  true ⟨U+200B⟩";
    await expect(app.page.getByText(shown, { exact: true }).first()).toBeVisible();
    await expect(app.page.getByTitle(shown)).toHaveCSS("white-space", "pre");
    expect(await app.page.locator("main").innerText()).not.toContain("\u202e");
  });

  test("[F6] a program that asks is waiting_input, and its agent answers it and reads it as text", async () => {
    const session = await run(
      modern,
      "printf '\\033[1mColour? \\033[0m'; read -r colour; echo \"so $colour\"; exit 4",
    );
    const status = async () =>
      Output.parse((await modern.call("ironflow_terminal_read", { session_id: session })).structured).status;
    await expect.poll(status).toBe("waiting_input");
    const tab = app.page.getByRole("tab").filter({ hasText: "Colour?" });
    await expect(tab.getByText("Waiting for input")).toBeAttached();
    await modern.call("ironbridge_terminal_input", { session_id: session, text: "blue\r" });
    const read = await modern.call("ironflow_terminal_read", {
      session_id: session,
      format: "text",
      wait_for: "exit",
      wait_seconds: 50,
    });
    expect(read.structured).toMatchObject({
      output: "Colour? blue\nso blue\n",
      waited: "met",
      exit_code: 4,
    });
    await expect(tab.getByText("Failed")).toBeAttached();
    const listed = await old.call("ironbridge_terminal_list");
    expect(JSON.stringify(listed.structured)).toContain(session);
  });

  test("[F6] a command is run again, its page tells every process with the proof of its end, and a link asks", async () => {
    const session = await run(modern, "echo https://example.org/path; exit 2");
    await readToEnd(modern, session);
    await app.page.getByRole("tab").filter({ hasText: "example.org" }).click();
    const link = app.page.getByRole("tabpanel").locator(".xterm-rows").getByText("example.org/path").first();
    await clickLink(link);
    const question = app.page.getByRole("group", { name: "Open this address?" });
    await expect(question).toContainText("https://example.org/path");
    await question.getByRole("button", { name: "Do not open it" }).click();
    await app.page.getByRole("button", { name: "Restart" }).click();
    await expect(app.page.getByRole("tab").filter({ hasText: "example.org" })).toHaveCount(2);

    for (const theme of ["dark", "light"] as const) {
      await app.page.emulateMedia({ colorScheme: theme });
      await saveScreenshot(app.page, `terminals-tabs-${theme}`);
    }
    await app.page.getByRole("link", { name: "What agents started" }).click();
    const row = app.page.locator(`[data-session-id="${session}"]`);
    await expect(row).toContainText("code 2");
    await expect(row.getByTitle("The system reported its end")).toHaveText("End reported");
    for (const theme of ["dark", "light"] as const) {
      await app.page.emulateMedia({ colorScheme: theme });
      await saveScreenshot(app.page, `terminals-history-${theme}`);
    }
    await app.page.getByRole("link", { name: "Tabs", exact: true }).click();
  });

  test("[F6] tabs come back with their content after the page is loaded again", async () => {
    const session = await run(modern, "echo still here; read -r x; echo got $x");
    await app.page.evaluate((to) => (window.location.hash = to), `#/terminals/${session}`);
    await expect(app.page.locator(".xterm-rows").first()).toContainText("still here");
    await app.page.reload();
    await expect(app.page.locator(".xterm-rows").first()).toContainText("still here");
    await modern.call("ironbridge_terminal_input", { session_id: session, text: "on\r" });
    await expect(app.page.locator(".xterm-rows").first()).toContainText("got on");
  });

  test("[F6] [B3] when the bridge is killed its terminals' processes end, its folder goes, and its tabs say so", async () => {
    const session = await run(
      modern,
      "trap '' TERM INT HUP; (setsid perl -e '$SIG{TERM}=$SIG{HUP}=q(IGNORE); sleep 997' &) ; sleep 998; sleep 999",
    );
    const marked = () => processesWithEnv(`IRONBRIDGE_TERMINAL=${session}`);
    await expect.poll(async () => (await marked()).length).toBeGreaterThan(2);
    const main = app.electron.process().pid ?? 0;
    const bridge = (await processTree(main)).find(({ command }) =>
      command.includes("node.mojom.NodeService"),
    );
    expect(bridge).toBeDefined();
    const isOwn = (name: string) => name.startsWith(`ironbridge-terminals-${bridge?.pid}-`);
    const logs = join(app.userDataDir, "terminal-output");
    expect((await readdir(logs)).filter(isOwn)).toHaveLength(1);
    process.kill(bridge?.pid ?? 0, "SIGKILL");
    await expect.poll(async () => (await marked()).length).toBe(0);
    const tab = app.page.getByRole("tab").filter({ hasText: "997" });
    await expect(tab).toContainText("terminal bridge stopped unexpectedly");
    await expect.poll(async () => (await readdir(tmpdir())).filter(isOwn)).toEqual([]);
    await expect.poll(async () => (await readdir(logs).catch(() => [])).filter(isOwn)).toEqual([]);
    // The next bridge works.
    await expect
      .poll(
        async () => {
          // While the tool server starts anew it has no terminals to offer.
          const call = modern.call("ironflow_terminal_run", { command: "exit 3" });
          return (await call.catch(() => undefined))?.isError;
        },
        { timeout: 30_000 },
      )
      .toBe(false);
    // Who asks for the tab of the dead one is told how it ended, and does not wait for it.
    const asked = { session_id: session, wait_for: "exit", wait_seconds: 40 };
    const read = await modern.call("ironflow_terminal_read", asked);
    expect(read.structured).toMatchObject({ status: "signalled", output: "", has_more: false });
    expect(read.text).toContain("terminal bridge");
    expect(read.text).toContain("is gone");
    const stopped = await modern.call("ironbridge_terminal_stop", { session_id: session });
    expect(stopped.structured).toMatchObject({ outcome: "already_ended", alive: 0 });
    // Its tab offers what can be done; closed, it is on nobody's list.
    await tab.click();
    const panel = app.page.getByRole("tabpanel").filter({ visible: true });
    await expect(panel).toContainText("The terminal bridge crashed");
    const actions = ["Restart", "Rename this tab", "Show the whole command", "Save the output as text"];
    for (const name of actions) await expect(panel.getByRole("button", { name })).toHaveCount(0);
    const listed = async () => (await modern.call("ironbridge_terminal_list", {})).text;
    expect(await listed()).toContain(session);
    await panel.getByRole("button", { name: "Close", exact: true }).click();
    await expect(tab).toBeHidden();
    await expect.poll(listed).not.toContain(session);
  });
});
