import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { AuditPage } from "../electron/contract/audit.ts";
import type { Agent } from "./agents/agent.ts";
import { completedRuns, errorOf } from "./agents/calls.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { askMain } from "./pages/door.ts";
import { openPage } from "./pages/open-page.ts";
import { processesWithEnv, processTree } from "./processes.ts";
import { saveScreenshot } from "./screenshot.ts";
import { pressKeys } from "./x-keys.ts";

const Started = z.looseObject({ session_id: z.string() });

test.describe("The endpoint and consent", () => {
  let app: RunningApp;
  let modern: Agent;
  let old: Agent;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes", "--terminals"] });
    modern = await modernAgent(app.connection.mcp.url, app.token);
    old = await handshakeAgent(app.connection.mcp.url, app.token);
  });
  test.afterAll(async () => {
    await modern.close();
    await old.close();
    await app.close();
  });

  /** Makes a token on the page, with the person's approval, and gives what is shown once. */
  async function makeToken(name: string, grants: string[], calls: string): Promise<string> {
    await openPage(app.page, "Agents");
    await app.page.getByRole("button", { name: "Make a token" }).click();
    const dialog = app.page.getByRole("dialog");
    await dialog.getByLabel("Name").fill(name);
    for (const grant of grants) await dialog.getByRole("checkbox", { name: grant }).click();
    await dialog.getByLabel("Calls at most").fill(calls);
    await dialog.locator("button[type=submit]").click();
    const question = await waitForQuestion(app, name);
    await question.approve();
    const shown = dialog.getByLabel("Token, text");
    await expect(shown).toHaveText(/^ibk_\S+$/);
    const token = (await shown.textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    return token.trim();
  }

  test("[E2] a token's limit is set, shown and kept to, in words an agent reads", async () => {
    const token = await makeToken("limited agent", ["Audit"], "4");
    const row = app.page.locator('[data-token-name="limited agent"]');
    await expect(row.getByText("at most 4 calls a minute")).toBeVisible();
    const agent = await modernAgent(app.connection.mcp.url, token);
    try {
      for (let at = 0; at < 4; at += 1)
        expect((await agent.call("ironflow_list_runs", { limit: 1 })).isError).toBe(false);
      const error = errorOf(await agent.call("ironflow_list_runs", { limit: 1 }));
      expect(error).toMatchObject({ code: "resource_exhausted", reason: "rate_limited", retryable: true });
      expect(error.error).toMatch(/4 calls per minute.* Wait \d+ seconds?\./);
      // The person takes the limit away, with their approval: it counts from the next call.
      await row.getByRole("button", { name: "Change the token limited agent" }).click();
      const dialog = app.page.getByRole("dialog");
      await dialog.getByLabel("Calls at most").fill("");
      await saveScreenshot(app.page, "token-change");
      await dialog.locator("button[type=submit]").click();
      await (await waitForQuestion(app, "limited agent")).approve();
      await expect(row.getByText("no limit of calls")).toBeVisible();
      expect((await agent.call("ironflow_list_runs", { limit: 1 })).isError).toBe(false);
    } finally {
      await agent.close();
    }
  });

  test("[E4] the audit is read on its page and, by a token that may, with a tool; no argument is in it", async () => {
    const secret = `evt_secret_${Date.now()}`;
    await modern.call("ironflow_list_runs", { event_id: secret });
    await modern.call("ironflow_list_runs", { limit: "many" });
    expect(await modern.listTools()).not.toContain("ironbridge_audit_query");
    const token = await makeToken("auditor", ["Audit"], "");
    const auditor = await modernAgent(app.connection.mcp.url, token);
    try {
      expect(await auditor.listTools()).toContain("ironbridge_audit_query");
      const read = async (args: Record<string, unknown>) =>
        AuditPage.parse((await auditor.call("ironbridge_audit_query", args)).structured).rows;
      const calls = await read({ event: "mcp.", user: "token:local" });
      expect(calls.map(({ event }) => event)).toEqual(
        expect.arrayContaining(["mcp.call", "mcp.result", "mcp.refused"]),
      );
      expect(calls.every(({ user, event }) => user === "token:local" && event.startsWith("mcp."))).toBe(true);
      expect(calls[0]?.remote).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(await read({ event: "consent.approved" })).not.toEqual([]);
      expect(await read({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
      const wrong = errorOf(await auditor.call("ironbridge_audit_query", { limit: 201 }));
      expect(wrong.error).toContain("arguments.limit: must be at most 200");
      const file = await readFile(join(app.userDataDir, "audit.jsonl"), "utf8");
      expect(file).not.toContain(secret);
      expect(file).not.toContain(token);
    } finally {
      await auditor.close();
    }
    await openPage(app.page, "Audit");
    await expect(app.page.getByText("mcp.refused").first()).toBeVisible();
    await app.page.getByLabel("Who: a token's name").fill("auditor");
    await expect(app.page.getByText("ironbridge_audit_query").first()).toBeVisible();
    await expect(app.page.locator("[data-audit-id]").getByText("local", { exact: true })).toHaveCount(0);
    await app.page.getByLabel("Who: a token's name").fill("");
    await expect(
      app.page.locator("[data-audit-id]").getByText("local", { exact: true }).first(),
    ).toBeVisible();
    await saveScreenshot(app.page, "audit");
  });

  test("[E1] a permission on one tool hides it from who has it not, from the next request on", async () => {
    await openPage(app.page, "Agents");
    const section = app.page.getByRole("region", { name: "Permissions of single tools" });
    await section.getByLabel("Tool", { exact: true }).click();
    await app.page.getByRole("option", { name: "ironflow_list_events" }).click();
    await section.getByLabel("Needs also").fill("mcp.line3");
    const [first, ...others] = await section.locator("form").evaluate((form) =>
      [...form.querySelectorAll("button, input[aria-describedby]")].map((control) => {
        const { top, bottom } = control.getBoundingClientRect();
        return { top, bottom };
      }),
    );
    expect(others).toEqual([first, first]); // the choice, the field and the button are in one line
    for (const agent of [modern, old]) expect(await agent.listTools()).toContain("ironflow_list_events");
    await section.getByRole("button", { name: "Put it on" }).click();
    await expect(section.locator('[data-extra-permission="ironflow_list_events"]')).toBeVisible();
    await saveScreenshot(app.page, "agents");
    for (const agent of [modern, old]) {
      expect(await agent.listTools()).not.toContain("ironflow_list_events");
      await expect(agent.call("ironflow_list_events", {})).rejects.toThrow("not found");
    }
    await section.getByRole("button", { name: /Take the permission mcp.line3 off/ }).click();
    await (await waitForQuestion(app, "mcp.line3")).approve();
    await expect(section.locator('[data-extra-permission="ironflow_list_events"]')).toHaveCount(0);
    for (const agent of [modern, old]) expect(await agent.listTools()).toContain("ironflow_list_events");
  });

  test("[E8] a destructive tool's approval can be remembered, is used, listed and taken back", async () => {
    const [run] = await completedRuns(modern, 1);
    const cancel = () => modern.call("ironflow_cancel_run", { run_id: run?.id ?? "" });
    const first = cancel();
    const question = await waitForQuestion(app, run?.id ?? "");
    await question.page.getByLabel(/Remember my approval/).check();
    await saveScreenshot(question.page, "consent-remember");
    await question.approve();
    const answer = (await first).text;
    expect(answer).not.toContain("permission_denied");
    expect((await cancel()).text).toBe(answer); // without a question
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
    await openPage(app.page, "Approvals");
    const row = app.page.locator('[data-remembered-tool="ironflow_cancel_run"]');
    await expect(row.getByText("local")).toBeVisible();
    await saveScreenshot(app.page, "approvals");
    await row.getByRole("button", { name: /Ask again/ }).click();
    await expect(row).toHaveCount(0);
    const again = cancel();
    await (await waitForQuestion(app, run?.id ?? "")).cancel();
    expect(errorOf(await again).reason).toBe("declined");
    // What cannot be undone offers nothing of the kind.
    const gone = modern.call("ironflow_delete_run", { run_id: run?.id ?? "" });
    const irreversible = await waitForQuestion(app, run?.id ?? "");
    await expect(irreversible.page.getByLabel(/Remember my approval/)).toHaveCount(0);
    await irreversible.cancel();
    expect(errorOf(await gone).reason).toBe("declined");
  });

  test("[E6] a token that loses the right to write while its call is asked about: the question is gone, nothing is done", async () => {
    const token = await makeToken("narrowed", ["Write"], "");
    const agent = await modernAgent(app.connection.mcp.url, token);
    const [run] = await completedRuns(agent, 1);
    const asked = agent.call("ironflow_delete_run", { run_id: run?.id ?? "" });
    await waitForQuestion(app, run?.id ?? "");
    await app.page.getByRole("button", { name: "Change the token narrowed" }).click();
    const dialog = app.page.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: "Write" }).click();
    await dialog.locator("button[type=submit]").click();
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
    expect((await asked).isError).toBe(true);
    expect((await agent.call("ironflow_get_run", { run_id: run?.id ?? "" })).isError).toBe(false);
    await agent.close();
  });

  test("[E7] callers of both eras wait longer than their clients would, and only their own call is done", async () => {
    const [first, second] = await completedRuns(modern, 2);
    const [slow, late] = [first?.id ?? "", second?.id ?? ""];
    const held = modern.call("ironflow_delete_run", { run_id: slow }, { timeoutMs: 40_000 });
    await waitForQuestion(app, slow);
    const pending = errorOf(await old.call("ironflow_delete_run", { run_id: late }));
    expect(pending).toMatchObject({ code: "consent_pending", retryable: true, retry_after: 5 });
    expect(pending.hint).toContain("identical call");
    // By now the first caller has come back twice by itself, and its question is still the same.
    await (await waitForQuestion(app, slow)).approve();
    expect((await held).isError).toBe(false);
    // Approved while its caller is away: nothing happens until the identical call comes.
    await (await waitForQuestion(app, late)).approve();
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
    expect((await modern.call("ironflow_get_run", { run_id: late })).isError).toBe(false);
    expect((await old.call("ironflow_delete_run", { run_id: late })).isError).toBe(false);
    expect((await modern.call("ironflow_get_run", { run_id: late })).isError).toBe(true);
  });

  test("[E9] one button stops terminals, questions and writes at once, until it is lifted with an approval", async () => {
    const registered = await app.electron.evaluate(({ globalShortcut }) =>
      globalShortcut.isRegistered("CommandOrControl+Alt+Shift+Escape"),
    );
    expect(registered).toBe(true);
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      const call = modern.call("ironflow_terminal_run", {
        command: "trap '' INT TERM HUP; yes > /dev/null & while :; do sleep 1; done",
      });
      // An agent's first command after a start of the app is asked about.
      if (at === 0) await (await waitForQuestion(app, "Run a command in a terminal")).approve();
      ids.push(Started.parse((await call).structured).session_id);
    }
    const alive = async () =>
      (await Promise.all(ids.map((id) => processesWithEnv(`IRONBRIDGE_TERMINAL=${id}`)))).flat().length;
    await expect.poll(alive).toBeGreaterThanOrEqual(12);
    const [run] = await completedRuns(modern, 1);
    const asking = old.call("ironflow_delete_run", { run_id: run?.id ?? "" });
    await waitForQuestion(app, run?.id ?? "");

    await app.page.getByRole("button", { name: "Stop everything" }).click();
    expect(errorOf(await asking).reason).toBe("declined");
    await expect(app.page.getByText("Everything is stopped.")).toBeVisible();
    await expect.poll(alive).toBe(0);
    await saveScreenshot(app.page, "panic");
    for (const agent of [modern, old]) {
      const emit = await agent.call("ironflow_emit_event", { event: "never.happened", data: {} });
      expect(errorOf(emit).reason).toBe("stopped");
      expect(errorOf(await agent.call("ironflow_terminal_run", { command: "true" })).reason).toBe("stopped");
      expect((await agent.call("ironflow_get_run", { run_id: run?.id ?? "" })).isError).toBe(false);
    }
    const stoppedRow = async () => {
      const text = await readFile(join(app.userDataDir, "audit.jsonl"), "utf8");
      return /"event":"panic.on".*"terminals":6,"ms":(\d+)/.exec(text)?.[1];
    };
    await expect.poll(stoppedRow, "a row of the audit says what was stopped").toBeDefined();
    // Kept with the test's result: how long it took is measured, not asserted.
    await test.info().attach("panic ms", { body: (await stoppedRow()) ?? "", contentType: "text/plain" });

    await liftPanic();
    const emit = await modern.call("ironflow_emit_event", { event: "happened.again", data: {} });
    expect(emit.isError, emit.text).toBe(false);
  });

  async function liftPanic(): Promise<void> {
    await app.page.getByRole("button", { name: "Let agents act again" }).click();
    await (await waitForQuestion(app, "Let agents act again")).approve();
    await expect(app.page.getByText("Everything is stopped.")).toHaveCount(0);
  }

  test("[E9] the shortcut stops everything wherever the keyboard's focus is", async () => {
    test.skip(process.platform !== "linux", "presses keys on an X display");
    const [run] = await completedRuns(modern, 1);
    const asking = old.call("ironflow_delete_run", { run_id: run?.id ?? "" });
    await waitForQuestion(app, run?.id ?? "");
    const started = await modern.call("ironflow_terminal_run", { command: "sleep 600" });
    const id = Started.parse(started.structured).session_id;
    await expect.poll(() => processesWithEnv(`IRONBRIDGE_TERMINAL=${id}`)).not.toEqual([]);
    // No window of the app has the focus, nor is one in sight.
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.hide();
    });
    await pressKeys(["Control", "Alt", "Shift", "Escape"]);
    expect(errorOf(await asking).reason).toBe("declined");
    await expect.poll(() => processesWithEnv(`IRONBRIDGE_TERMINAL=${id}`)).toEqual([]);
    const emit = await modern.call("ironflow_emit_event", { event: "never.happened", data: {} });
    expect(errorOf(emit).reason).toBe("stopped");
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows())
        if (window.webContents.getURL().includes("index.html")) window.show();
    });
    await expect(app.page.getByRole("link", { name: /^Agents stopped/ })).toBeVisible();
    await liftPanic();
    expect((await modern.call("ironflow_emit_event", { event: "again", data: {} })).isError).toBe(false);
  });

  test("[E5] a person who looks elsewhere is told by the desktop that a question waits", async () => {
    await app.electron.evaluate(({ BrowserWindow, Notification }) => {
      const seen = globalThis as unknown as { noticed: string[] };
      seen.noticed = [];
      // This display has no desktop that could draw one.
      Notification.isSupported = () => true;
      Notification.prototype.show = function show() {
        seen.noticed.push(`${this.title} | ${this.body}`);
        this.emit("click");
      };
      for (const window of BrowserWindow.getAllWindows()) window.hide();
    });
    const [run] = await completedRuns(modern, 1);
    const call = modern.call("ironflow_delete_run", { run_id: run?.id ?? "" });
    const question = await waitForQuestion(app, run?.id ?? "");
    const noticed = () =>
      app.electron.evaluate(() => (globalThis as unknown as { noticed: string[] }).noticed);
    await expect.poll(noticed).toEqual(["Ironbridge asks you | local: Delete a run"]);
    await question.cancel();
    expect(errorOf(await call).reason).toBe("declined"); // the click on the notice answered nothing
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows())
        if (window.webContents.getURL().includes("index.html")) window.show();
    });
  });

  test("[E1] an agent that may write hears that a connection is read-only, and one that may not hears nothing", async () => {
    const { connection } = app.connection.engine;
    await askMain(app.page, "connections:set-writes", { connection, who: "agents", allowed: false });
    const reader = await modernAgent(app.connection.mcp.url, await makeToken("only reads", [], ""));
    try {
      for (const agent of [modern, old]) {
        expect(await agent.listTools()).not.toContain("ironflow_emit_event");
        const error = errorOf(await agent.call("ironflow_emit_event", { event: "no", data: {} }));
        expect(error).toMatchObject({ reason: "read_only", retryable: false });
        expect(error.hint).toContain("under Settings");
      }
      await expect(reader.call("ironflow_emit_event", { event: "no", data: {} })).rejects.toThrow(
        "not found",
      );
      await openPage(app.page, "Agents");
      await expect(app.page.getByText("the connection is read-only for agents").first()).toBeVisible();
      await saveScreenshot(app.page, "agents-refused");
    } finally {
      await reader.close();
    }
    const allowed = askMain(app.page, "connections:set-writes", { connection, who: "agents", allowed: true });
    await (await waitForQuestion(app, "Allow agents to change things")).approve();
    expect((await allowed).ok).toBe(true);
  });

  test("[E5] the question has the engine's own counts of what goes, and says what stays", async () => {
    const Appended = z.looseObject({ event_id: z.string() });
    let eventId = "";
    for (const data of [1, 2, 3]) {
      const answer = await modern.call("ironflow_append_entity_event", {
        entity_id: "order-e5",
        entity_type: "order",
        event: "order.counted",
        data: { data },
      });
      eventId = Appended.parse(answer.structured).event_id;
    }
    for (const [tool, args, counts, stays] of [
      [
        "ironflow_delete_stream",
        { entity_id: "order-e5", purge: true },
        "its 3 events are deleted",
        "Read models",
      ],
      [
        "ironflow_redact_event",
        { event_id: eventId },
        "1 event's data is replaced",
        "It has started no run.",
      ],
      ["ironflow_secret_set", { name: "E5_KEY", value: "v" }, "1 secret is added.", "Other secrets"],
    ] as const) {
      const call = modern.call(tool, args);
      const question = await waitForQuestion(app, counts);
      await expect(question.page.getByText(stays)).toBeVisible();
      await saveScreenshot(question.page, `consent-${tool}`);
      await question.cancel();
      expect(errorOf(await call).reason, tool).toBe("declined");
    }
    // What is not there, or an engine does not have, is asked about by nobody; a trial asks nobody either.
    for (const [tool, args] of [
      ["ironflow_outbox_dlq_discard", { event_id: eventId, env: "env_default" }],
      ["ironflow_rebuild_projection", { name: "no-such", dry_run: true }],
    ] as const) {
      const error = errorOf(await modern.call(tool, args));
      expect(["not_found", "unimplemented"], tool).toContain(error.code);
      await expect.poll(() => questionsOnScreen(app)).toBe(0);
    }
  });

  test("[E1] whether a token's commands are asked about is chosen on the page", async () => {
    const token = await makeToken("commander", ["Terminals"], "");
    const row = app.page.locator('[data-token-name="commander"]');
    await expect(row.getByText("the first command of a start asks you")).toBeVisible();
    await row.getByRole("button", { name: "Change the token commander" }).click();
    const dialog = app.page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Run without asking" }).check();
    await saveScreenshot(app.page, "token-commands");
    await dialog.locator("button[type=submit]").click();
    await (await waitForQuestion(app, "run without asking")).approve();
    await expect(row.getByText("commands run without asking")).toBeVisible();
    const agent = await modernAgent(app.connection.mcp.url, token);
    try {
      expect((await agent.call("ironflow_terminal_run", { command: "true" })).isError).toBe(false);
    } finally {
      await agent.close();
    }
  });

  test("[E-SHOW] no token is in a command line, in a child's environment or in what the app writes", async () => {
    const token = await makeToken("secret agent", [], "");
    const agent = await modernAgent(app.connection.mcp.url, token);
    await agent.call("ironflow_list_runs", { limit: 1 });
    await agent.close();
    const secrets = [token, app.token];
    const main = app.electron.process().pid ?? 0;
    const processes = await processTree(main);
    expect(processes.length).toBeGreaterThan(3);
    for (const { pid, command } of processes) {
      const environ = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      for (const secret of secrets) {
        expect(command.includes(secret), `command line of ${pid}`).toBe(false);
        expect(environ.includes(secret), `environment of ${pid}`).toBe(false);
      }
    }
    const kept = await readFile(join(app.userDataDir, "tokens.json"), "utf8");
    for (const text of [app.output(), kept, await readFile(join(app.userDataDir, "audit.jsonl"), "utf8")])
      for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  });
});
