import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import type { Agent } from "./agents/agent.ts";
import { modernAgent } from "./agents/modern.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { saveScreenshot } from "./screenshot.ts";

test.describe("An agent's first commands, sent at once", () => {
  let app: RunningApp;
  let agent: Agent;
  let folder: string;

  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ironbridge-e2e-commands-"));
    app = await launchApp({ flags: ["--terminals"] });
    agent = await modernAgent(app.connection.mcp.url, app.token);
  });
  test.afterAll(async () => {
    await agent.close();
    await app.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test("[B7] the one question shows the others that wait whole, as text, and they run with its yes", async () => {
    const names = ["one", "two", "three"];
    const calls = names.map((name) =>
      agent.call("ironflow_terminal_run", {
        command: `touch ${name} # <b>${name}</b>`,
        cwd: folder,
        env: { NOTE: name },
      }),
    );
    const question = await waitForQuestion(app, "Run a command in a terminal");
    const others = question.page.getByRole("region", {
      name: "These wait, and run with it when you approve",
    });
    const asked = question.page.getByRole("region", { name: "Exactly this" });
    await expect(others).toContainText("2: Folder");
    for (const name of names) {
      const whole = `touch ${name} # <b>${name}</b>`;
      await expect(asked.getByText(whole).or(others.getByText(whole))).toBeVisible();
    }
    const environment = /\{"NOTE":"(one|two|three)"\}/;
    await expect(others.getByText(environment)).toHaveCount(2);
    await expect(question.page.getByText(environment)).toHaveCount(3);
    await expect(question.page.locator("b")).toHaveCount(0);
    await saveScreenshot(question.page, "consent-first-commands");
    expect(await readdir(folder)).toEqual([]);
    await question.approve();
    for (const answer of await Promise.all(calls)) expect(answer.isError, answer.text).toBe(false);
    await expect.poll(async () => (await readdir(folder)).toSorted()).toEqual(names.toSorted());
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
  });
});
