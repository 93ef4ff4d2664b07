import { expect, test } from "@playwright/test";
import type { RunSummary } from "../mcp/contract/domain.ts";
import { ToolError } from "../mcp/contract/errors.ts";
import type { Agent, CallResult } from "./agents/agent.ts";
import { completedRuns } from "./agents/calls.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { askAnything, currentQuestion } from "./pages/door.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { saveScreenshot } from "./screenshot.ts";

test.describe("Consent: nothing irreversible without a person's click", () => {
  let app: RunningApp;
  let modern: Agent;
  let old: Agent;
  let target: RunSummary;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes", "--terminals"] });
    modern = await modernAgent(app.connection.mcp.url, app.token, "the client's own claim");
    old = await handshakeAgent(app.connection.mcp.url, app.token);
    const [first] = await completedRuns(modern, 1);
    if (first === undefined) throw new Error("the demo has no completed run");
    target = first;
  });
  test.afterAll(async () => {
    await modern.close();
    await old.close();
    await app.close();
  });

  async function exists(): Promise<boolean> {
    return !(await modern.call("ironflow_get_run", { run_id: target.id })).isError;
  }

  /** The refusal's word, after checking that it says that nothing was changed, and that the run is still there. */
  async function refusedWord(result: CallResult): Promise<string | undefined> {
    expect(result.isError, result.text).toBe(true);
    const error = ToolError.parse(JSON.parse(result.text));
    expect(error.error.toLowerCase()).toContain("nothing was changed");
    expect(error.retryable).toBe(false);
    expect(await exists()).toBe(true);
    return error.reason;
  }

  for (const era of ["handshake", "2026-07-28"] as const) {
    const agent = (): Agent => (era === "handshake" ? old : modern);

    test(`[F5] declined: the run stays and the ${era} caller is told so`, async () => {
      const call = agent().call("ironflow_delete_run", { run_id: target.id });
      const question = await waitForQuestion(app, target.id);
      if (era === "2026-07-28") {
        await expect(question.page.getByText("the client's own claim")).toBeVisible();
        await expect(question.page.getByText("local", { exact: true }).first()).toBeVisible();
        await expect(question.page.getByText(app.connection.engine.url).first()).toBeVisible();
        await saveScreenshot(question.page, "consent");
      }
      await question.cancel();
      expect(await refusedWord(await call)).toBe("declined");
    });

    test(`[F5] confirm: true from a ${era} agent replaces nobody's click`, async () => {
      const call = agent().call("ironflow_delete_run", { run_id: target.id, confirm: true });
      const question = await waitForQuestion(app, target.id);
      expect(await exists()).toBe(true);
      await question.cancel();
      expect(await refusedWord(await call)).toBe("declined");
    });

    test(`[F5] a ${era} caller that goes away closes its question`, async () => {
      const gone = new AbortController();
      const call = agent()
        .call("ironflow_delete_run", { run_id: target.id }, { signal: gone.signal })
        .catch((error: unknown) => error);
      await waitForQuestion(app, target.id);
      gone.abort();
      await call;
      await expect.poll(() => questionsOnScreen(app)).toBe(0);
      expect(await exists()).toBe(true);
    });
  }

  test("[F5] closing the window is no answer, and no answer is a refusal", async () => {
    const call = modern.call("ironflow_delete_run", { run_id: target.id });
    await waitForQuestion(app, target.id);
    await app.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) {
        if (window.webContents.getURL().includes("consent.html")) window.close();
      }
    });
    expect(await refusedWord(await call)).toBe("not_answered");
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
  });

  test("[F5] an answer that a script forges in either window is not taken", async () => {
    const call = modern.call("ironflow_delete_run", { run_id: target.id });
    const question = await waitForQuestion(app, target.id);
    await expect(question.page.getByRole("button", { name: "Approve" })).toHaveAttribute(
      "aria-disabled",
      "false",
    );
    // In the consent window itself: through its own door, and by clicks that a script makes.
    const current = await currentQuestion(question.page);
    const answer = { question_id: current?.question_id, answer: "approve" };
    for (let round = 0; round < 5; round += 1)
      expect(await askAnything(question.page, "consent:answer", answer)).toMatchObject({ taken: false });
    await question.page.evaluate(() => {
      for (const button of document.querySelectorAll("button")) {
        if (!button.textContent.includes("Approve")) continue;
        button.click();
        button.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        button.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      }
    });
    // In the main window: its door does not know the row at all.
    const fromMain = await askAnything(app.page, "consent:answer", answer).then(
      () => "taken",
      () => "refused",
    );
    expect(fromMain).toBe("refused");
    expect(await exists()).toBe(true);
    await question.cancel();
    expect(await refusedWord(await call)).toBe("declined");
  });

  test("[F5] a key that was held before the question appeared answers nothing", async () => {
    const call = modern.call("ironflow_delete_run", { run_id: target.id });
    let answered = false;
    void call.then(() => (answered = true));
    const question = await waitForQuestion(app, target.id);
    const cancel = question.page.getByRole("button", { name: "Cancel" });
    await expect(cancel).toHaveAttribute("aria-disabled", "false");
    await expect(cancel).toBeFocused();
    for (const keyCode of ["Return", "Space", "Escape"]) {
      await app.electron.evaluate(({ BrowserWindow }, held) => {
        for (const { webContents } of BrowserWindow.getAllWindows()) {
          if (!webContents.getURL().includes("consent.html")) continue;
          const key = { keyCode: held, modifiers: ["isautorepeat" as const] };
          webContents.sendInputEvent({ type: "keyDown", ...key });
          if (held !== "Escape") webContents.sendInputEvent({ type: "char", ...key });
          webContents.sendInputEvent({ type: "keyUp", keyCode: held });
        }
      }, keyCode);
      // Whatever the page made of the key has reached main, and the agent, when this is answered.
      await question.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      expect(await exists()).toBe(true);
      expect(answered, keyCode).toBe(false);
    }
    await question.cancel();
    expect(await refusedWord(await call)).toBe("declined");
  });

  test("[F5] the window keeps nothing of a question that is over", async () => {
    const call = modern.call("ironflow_delete_run", { run_id: target.id });
    const question = await waitForQuestion(app, target.id);
    await question.cancel();
    // At once: the window itself is kept a while, hidden, for the next question. Later it is gone altogether.
    const kept = () =>
      question.page
        .locator("body")
        .textContent()
        .catch(() => "");
    await expect.poll(kept).not.toContain(target.id);
    expect(await refusedWord(await call)).toBe("declined");
  });

  test("[F5] a question that nobody answers in its time expires", async () => {
    const short = await launchApp({
      flags: ["--demo", "--allow-writes"],
      settings: { question_expires_s: 5 },
    });
    const agent = await modernAgent(short.connection.mcp.url, short.token);
    try {
      const [run] = await completedRuns(agent, 1);
      const answer = await agent.call("ironflow_delete_run", { run_id: run?.id ?? "" });
      expect(ToolError.parse(JSON.parse(answer.text)).reason).toBe("expired");
      expect((await agent.call("ironflow_get_run", { run_id: run?.id ?? "" })).isError).toBe(false);
    } finally {
      await agent.close();
      await short.close();
    }
  });

  test("[F5] approved: the run is gone, and the same approval used twice is refused", async () => {
    const call = modern.call("ironflow_delete_run", { run_id: target.id });
    const question = await waitForQuestion(app, target.id);
    const approved = await currentQuestion(question.page);
    await question.approve();
    const answer = await call;
    expect(answer.isError, answer.text).toBe(false);
    expect(await exists()).toBe(false);

    // A second run, a second question: the first one's approval is not good for it, whoever hands it in.
    const [other] = await completedRuns(modern, 1);
    if (other === undefined) throw new Error("the demo has no second completed run");
    const second = modern.call("ironflow_delete_run", { run_id: other.id });
    const next = await waitForQuestion(app, other.id);
    const replayed = await askAnything(next.page, "consent:answer", {
      question_id: approved?.question_id,
      answer: "approve",
    });
    expect(replayed).toMatchObject({ taken: false });
    await next.cancel();
    expect((await second).isError).toBe(true);
    expect((await modern.call("ironflow_get_run", { run_id: other.id })).isError).toBe(false);
  });
});
