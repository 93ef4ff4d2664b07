import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { ConnectionFile } from "../electron/contract/discovery.ts";
import type { Agent } from "./agents/agent.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { startEngine, type EngineProcess } from "./engine-process.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { saveScreenshot } from "./screenshot.ts";

test.describe("Engines are added, tested, gone to and taken away in the window", () => {
  let folder: string;
  let profile: string;
  let other: EngineProcess;
  let app: RunningApp;

  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ironbridge-engine-"));
    profile = await mkdtemp(join(tmpdir(), "ironbridge-e2e-"));
    other = await startEngine(folder, 0);
    app = await launchApp({ userDataDir: profile, flags: ["--allow-writes", "--terminals"] });
  });
  test.afterAll(async () => {
    await app.close();
    await other.stop();
    for (const one of [folder, profile]) await rm(one, { recursive: true, force: true, maxRetries: 5 });
  });

  const row = (name: string) =>
    app.page
      .getByRole("list", { name: "Engines that the window can show" })
      .getByRole("listitem")
      .filter({ hasText: name });
  const caption = () => app.page.getByRole("region", { name: "Engine that is shown" });
  const press = (name: string) => app.page.getByRole("button", { name, exact: true }).click();

  async function openSettings(): Promise<void> {
    await app.page.getByRole("navigation").getByRole("link", { name: "Settings" }).click();
    await expect(app.page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  }
  async function add(name: string, url: string, key: string): Promise<void> {
    await press("Add an engine");
    const dialog = app.page.getByRole("dialog", { name: "Add an engine" });
    await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    await dialog.getByRole("textbox", { name: "Address" }).fill(url);
    await dialog.getByLabel("API key").fill(key);
    await dialog.getByLabel("API key").press("Enter");
  }
  const announced = async () =>
    ConnectionFile.parse(JSON.parse(await readFile(join(profile, "connection.json"), "utf8"))).engine;

  test("[F4] a new address asks the person; declined, nothing is kept", async () => {
    await openSettings();
    await add("Staging", other.url, other.key);
    const question = await waitForQuestion(app, "Add an engine");
    await expect(question.page.getByText(other.url).first()).toBeVisible();
    await expect(question.page.getByText(other.key)).toHaveCount(0);
    await saveScreenshot(question.page, "consent-engine");
    await question.cancel();
    const dialog = app.page.getByRole("dialog", { name: "Add an engine" });
    await expect(dialog).toContainText("Cancelled.");
    await press("Close");
    await expect(row("Staging")).toHaveCount(0);
    expect(await readdir(profile)).not.toContain("engines.json");
  });

  test("[F4] approved, it is listed, can be tested, and its key is on no disk in clear and in no page", async () => {
    await add("Staging", other.url, other.key);
    await (await waitForQuestion(app, "Add an engine")).approve();
    await expect(app.page.getByRole("dialog")).toHaveCount(0);
    await expect(row("Staging")).toContainText("read-only");
    await press("Test Staging");
    await expect(row("Staging").getByRole("status")).toContainText("It answers. Version");
    await saveScreenshot(app.page, "engines");
    expect(await readFile(join(profile, "engines.json"), "utf8")).not.toContain(other.key);
    expect(await app.page.content()).not.toContain(other.key);
    expect(app.output()).not.toContain(other.key);
  });

  test("[F4] a name that looks like another and an address that is there already are refused unasked", async () => {
    await add("5taging", "http://127.0.0.1:1", "");
    const dialog = app.page.getByRole("dialog", { name: "Add an engine" });
    await expect(dialog).toContainText("looks like");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Copy");
    await dialog.getByRole("textbox", { name: "Address" }).fill(`${other.url}/`);
    await dialog.getByRole("button", { name: "Add" }).click();
    await expect(dialog).toContainText('"Staging" has this address already.');
    await dialog.getByRole("textbox", { name: "Address" }).fill("ftp://engine.example");
    await dialog.getByRole("button", { name: "Add" }).click();
    await expect(dialog).toContainText("must be an http or https address");
    await press("Close");
  });

  test("[F4] a wrong key is told by the test, and put right without adding it anew", async () => {
    await press("API key of Staging");
    const dialog = app.page.getByRole("dialog", { name: "API key of Staging" });
    await dialog.getByLabel("API key").fill("wrong");
    await press("Use this key");
    await expect(dialog).toHaveCount(0);
    await press("Test Staging");
    await expect(row("Staging").getByRole("status")).toContainText("refuses the key");
    await press("API key of Staging");
    await dialog.getByLabel("API key").fill(other.key);
    await press("Use this key");
    await expect(dialog).toHaveCount(0);
  });

  test("[F4] going to it closes the other engine's questions, ends its sessions and moves agents; no token is revoked", async () => {
    const url = app.connection.mcp.url;
    const old = await handshakeAgent(url, app.token);
    const modern = await modernAgent(url, app.token);
    const file = join(folder, "made-by-a-command");
    const asked = modern.call("ironflow_terminal_run", { command: `touch ${file}` });
    await waitForQuestion(app, file);

    await press("Switch to Staging");
    const answer = await asked;
    expect(answer.isError).toBe(true);
    expect(JSON.parse(answer.text)).toMatchObject({ reason: "not_answered" });
    await expect.poll(() => questionsOnScreen(app)).toBe(0);
    await expect(caption()).toContainText("Staging");
    await expect(caption()).toContainText(new URL(other.url).host);
    await expect(caption()).toContainText("READ-ONLY");
    await expect(caption().getByRole("status")).toContainText(/Live|Connected/);
    await expect.poll(announced).toMatchObject({ kind: "remote", url: other.url });

    const read = async (agent: Agent) => (await agent.call("ironflow_list_runs")).meta;
    await expect.poll(async () => JSON.stringify(await read(modern))).toContain(other.url);
    // An agent with a session is told that it is over, and begins a new one with the same token.
    await expect
      .poll(() =>
        old.listTools().then(
          () => "lives",
          () => "over",
        ),
      )
      .toBe("over");
    const again = await handshakeAgent(url, app.token);
    expect(JSON.stringify(await read(again))).toContain(other.url);
    const refused = await again.call("ironflow_emit_event", { event: "e2e.wanted", data: {} });
    expect(refused.isError, "the flags of the start allow changes on the embedded engine only").toBe(true);
    await again.close();
    await old.close().catch(() => {});

    await press("Switch to Embedded engine");
    await expect(caption()).toContainText("Embedded engine");
    const emitted = await modern.call("ironflow_emit_event", { event: "e2e.wanted", data: {} });
    expect(emitted.isError, emitted.text).toBe(false);
    expect(JSON.stringify(emitted.meta)).toContain('"embedded"');
    expect(await readdir(folder)).not.toContain("made-by-a-command");
    await modern.close();
  });

  test("[F4] the list of the top bar goes there by keyboard; the choice and the name outlive a restart", async () => {
    await press("Rename Staging");
    const dialog = app.page.getByRole("dialog", { name: "Rename Staging" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Warehouse");
    await press("Rename");
    await expect(row("Warehouse")).toBeVisible();
    await app.page.getByRole("combobox", { name: "Engine" }).focus();
    await app.page.keyboard.press("Enter");
    await app.page.getByRole("option", { name: "Warehouse" }).press("Enter");
    await expect(caption()).toContainText("READ-ONLY");
    await expect(row("Warehouse")).toContainText("shown now");
    await expect(app.page.getByRole("button", { name: "Remove Warehouse" })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
    await app.close();
    app = await launchApp({ userDataDir: profile });
    await openSettings();
    await expect(caption()).toContainText("Warehouse");
    await expect.poll(announced).toMatchObject({ kind: "remote", url: other.url });
    // Without a key store of the system the key was for that run only, and the window says so.
    await expect(row("Warehouse")).toContainText(/kept by the system's key store|enter it again/);
  });

  test("[F4] it is removed once another one is shown", async () => {
    await press("Switch to Embedded engine");
    await expect(row("Embedded engine")).toContainText("shown now");
    await press("Remove Warehouse");
    await press("Remove Warehouse");
    await expect(row("Warehouse")).toHaveCount(0);
    await expect(caption()).toContainText("Embedded engine");
    expect(await readFile(join(profile, "engines.json"), "utf8")).not.toContain("Warehouse");
  });
});
