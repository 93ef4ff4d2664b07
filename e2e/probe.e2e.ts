import { expect, test } from "@playwright/test";
import * as z from "zod/v4";
import { RunSummary } from "../mcp/contract/domain.ts";
import { violations } from "./axe.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { waitForQuestion } from "./pages/consent-window.ts";
import { askMain } from "./pages/door.ts";
import { saveScreenshot } from "./screenshot.ts";

const Runs = z.object({ runs: z.array(RunSummary) });

test.describe("Test as an agent", () => {
  let app: RunningApp;

  test.beforeAll(async () => {
    app = await launchApp({ flags: ["--demo", "--allow-writes"] });
    await app.page.getByRole("link", { name: "Test as an agent" }).click();
  });
  test.afterAll(() => app.close());

  const page = () => app.page.getByRole("region", { name: "Test as an agent" });
  const eras = () => page().getByRole("region", { name: "Eras" });
  const call = () => page().getByRole("region", { name: "Call" });
  const frames = () => page().getByRole("region", { name: "Frames" });

  async function completedRun(): Promise<string> {
    const answer = await askMain(app.page, "tool:call", {
      connection: app.connection.engine.connection,
      tool: "ironflow_list_runs",
      arguments: { status: "completed", limit: 1 },
    });
    return answer.ok ? (Runs.parse(answer.data).runs[0]?.id ?? "") : "";
  }

  test("[M10] reading needs no question; both eras list the same tools, side by side", async () => {
    await page().getByRole("button", { name: "Connect" }).click();
    await expect(eras().getByText("Handshake, SDK v1")).toBeVisible();
    await expect(eras().getByText(/revision 2025-11-25, \d+ tools/)).toBeVisible();
    await expect(eras().getByText(/revision 2026-07-28, \d+ tools/)).toBeVisible();
    await expect(page().getByText("Both eras list the same tools.")).toBeVisible();
    await expect(page().getByRole("rowheader", { name: "ironflow_delete_run" })).toHaveCount(0);
  });

  test("[M10] a call from the form is answered in both eras, with its frames, and no token in them", async () => {
    await call().getByRole("combobox", { name: "Tool" }).click();
    await app.page.getByRole("option", { name: "ironflow_list_runs" }).click();
    await call().getByLabel("limit").fill("3");
    await call().getByRole("button", { name: "Call", exact: true }).click();
    await expect(call().getByRole("heading", { name: /^handshake: \d/ })).toBeVisible();
    await expect(call().getByRole("heading", { name: /^2026-07-28: \d/ })).toBeVisible();
    await expect(frames().getByText("tools/call").first()).toBeAttached();
    await saveScreenshot(app.page, "test-as-an-agent");
    // What is folded up is part of it.
    await expect(frames()).toContainText("authorization: ••••");
    expect(await frames().textContent()).not.toMatch(/ibk_/);
  });

  test("[M10] more than reading asks the person first, and so does what the agent then does", async () => {
    await app.page.getByRole("button", { name: "End the test" }).click();
    await page()
      .getByRole("checkbox", { name: /^Write/ })
      .check();
    await page().getByRole("button", { name: "Connect" }).click();
    await (await waitForQuestion(app, "Test as an agent")).approve();
    await expect(page().getByRole("rowheader", { name: "ironflow_delete_run" })).toBeVisible();

    let run = "";
    await expect.poll(async () => (run = await completedRun()), { timeout: 60_000 }).not.toBe("");

    await call().getByRole("combobox", { name: "Tool" }).click();
    await app.page.getByRole("option", { name: "ironflow_delete_run" }).click();
    await call().getByRole("combobox", { name: "Eras" }).click();
    await app.page.getByRole("option", { name: "2026-07-28" }).click();
    await call().getByRole("button", { name: "Write JSON" }).click();
    await call()
      .getByLabel("Arguments")
      .fill(JSON.stringify({ run_id: run }));
    await call().getByRole("button", { name: "Call", exact: true }).click();
    await (await waitForQuestion(app, run)).cancel();
    await expect(
      call()
        .getByText(/nothing was changed/i)
        .first(),
    ).toBeVisible();
  });

  test("[M10] the page has no accessibility problem", async () => {
    expect(await violations(app.page)).toEqual([]);
  });
});
