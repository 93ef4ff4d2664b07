import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import type { Agent } from "./agents/agent.ts";
import { attachedHandshake, attachedModern, type AttachedAgent } from "./agents/attached.ts";
import { errorOf } from "./agents/calls.ts";
import { handshakeAgent } from "./agents/handshake.ts";
import { modernAgent } from "./agents/modern.ts";
import { startEngine, type EngineProcess } from "./engine-process.ts";
import { launchApp, type RunningApp } from "./launch.ts";
import { questionsOnScreen, waitForQuestion } from "./pages/consent-window.ts";
import { askMain } from "./pages/door.ts";
import { saveScreenshot } from "./screenshot.ts";
import { shopApplication, type DeclaredTool, type ShopApplication } from "./shop-application.ts";

const REFUND: DeclaredTool = {
  name: "refund",
  description: "Refunds one line of an order.",
  inputSchemaJson: JSON.stringify({
    type: "object",
    properties: { line: { enum: ["L1", "L2", "L3"] } },
    required: ["line"],
    additionalProperties: false,
  }),
};
const STOCK: DeclaredTool = { name: "stock", description: "Counts." };
/** The tool server looks at the engine's list every 10 s. */
const NEWS_WITHIN_MS = 30_000;

test.describe("Tools of applications, for agents that come through the app", () => {
  let folder: string;
  let engine: EngineProcess;
  let shop: ShopApplication;
  let app: RunningApp;
  let agents: Agent[];
  let attached: AttachedAgent[];
  let reader: Agent;

  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ironbridge-engine-"));
    engine = await startEngine(folder, 0);
    shop = await shopApplication(engine);
    await shop.register([REFUND]);
    app = await launchApp({
      flags: [`--server-url=${engine.url}`, "--allow-writes"],
      env: { IRONFLOW_API_KEY: engine.key },
    });
    const { url } = app.connection.mcp;
    const connectionFile = join(app.userDataDir, "connection.json");
    agents = [await modernAgent(url, app.token), await handshakeAgent(url, app.token)];
    attached = [
      await attachedHandshake(connectionFile, app.token),
      await attachedModern(connectionFile, app.token),
    ];
    reader = await modernAgent(url, await tokenFor("only reads", ["mcp.call"]));
  });
  test.afterAll(async () => {
    for (const agent of [...agents, ...attached, reader]) await agent.close();
    await app.close();
    await engine.stop();
    await shop.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** As a person makes one: with a click in the consent window. */
  async function tokenFor(name: string, permissions: string[]): Promise<string> {
    const made = askMain(app.page, "tokens:create", { name, permissions });
    await (await waitForQuestion(app, name)).approve();
    const answer = await made;
    if (!answer.ok) throw new Error(answer.error.error);
    return answer.created.token;
  }

  const sees = (agent: Agent, tool: string) =>
    expect.poll(async () => (await agent.listTools()).includes(tool), { timeout: NEWS_WITHIN_MS });

  test("[E12] are seen and called in both eras: arguments are checked first, then the person is asked", async () => {
    for (const [at, agent] of [...agents, ...attached].entries()) {
      await sees(agent, "shop_refund").toBe(true);
      const wrong = errorOf(await agent.call("shop_refund", { line: "L9" }));
      expect(wrong).toMatchObject({
        error: 'arguments.line: value must be one of "L1", "L2", "L3"',
        code: "invalid_argument",
      });
      expect(shop.calls).toHaveLength(at);
      const call = agent.call("shop_refund", { line: "L1" });
      const question = await waitForQuestion(app, "shop.refund");
      await expect(question.page.getByText("Refunds one line of an order.")).toBeVisible();
      if (at === 0) await saveScreenshot(question.page, "consent-application-tool");
      expect(shop.calls).toHaveLength(at);
      await question.approve();
      expect(await call).toMatchObject({ isError: false, structured: { refunded: true } });
      expect(shop.calls.at(-1)).toMatchObject({ qualified_name: "shop.refund", input: { line: "L1" } });
      await expect.poll(() => questionsOnScreen(app)).toBe(0);
    }
    const [agent] = agents;
    const declined = agent?.call("shop_refund", { line: "L2" });
    await (await waitForQuestion(app, "shop.refund")).cancel();
    if (declined !== undefined) expect(errorOf(await declined).reason).toBe("declined");
    expect(shop.calls).toHaveLength(4);
    const audit = await readFile(join(app.userDataDir, "audit.jsonl"), "utf8");
    const rows = audit.split("\n").filter((line) => line.includes("shop_refund"));
    for (const event of ["mcp.call", "mcp.result", "mcp.refused", "consent.approved"])
      expect(
        rows.some((row) => row.includes(`"event":"${event}"`)),
        event,
      ).toBe(true);
    expect(rows.join("\n")).not.toMatch(/L[129]"/);
  });

  test("[E12] are not there for a token that only reads, and not for one without a tool's own permission", async () => {
    expect(await reader.listTools()).not.toContain("shop_refund");
    await expect(reader.call("shop_refund", { line: "L1" })).rejects.toThrow("not found");
    await askMain(app.page, "tools:set-permission", { tool: "shop_refund", permission: "mcp.till" });
    const writer = await modernAgent(
      app.connection.mcp.url,
      await tokenFor("writes", ["mcp.call", "mcp.write"]),
    );
    expect(await writer.listTools()).toContain("ironflow_delete_run");
    expect(await writer.listTools()).not.toContain("shop_refund");
    await writer.close();
    const taken = askMain(app.page, "tools:set-permission", { tool: "shop_refund", permission: null });
    await (await waitForQuestion(app, "mcp.till")).approve();
    expect((await taken).ok).toBe(true);
  });

  test("[E12] come and go with the application, and with the engine, and agents of both eras are told", async () => {
    let before = attached.map(({ toolsChanged }) => toolsChanged);
    const told = async () => {
      for (const [at, agent] of attached.entries())
        await expect.poll(() => agent.toolsChanged, { timeout: 60_000 }).toBeGreaterThan(before[at] ?? 0);
      before = attached.map(({ toolsChanged }) => toolsChanged);
    };
    await shop.register([REFUND, STOCK]);
    await told();
    // They may have been told of something else before: the list is what counts.
    for (const agent of [...agents, ...attached]) await sees(agent, "shop_stock").toBe(true);
    await engine.stop();
    await told();
    for (const agent of [...agents, ...attached]) {
      await sees(agent, "shop_refund").toBe(false);
      await sees(agent, "ironflow_delete_run").toBe(true);
      await expect(agent.call("shop_refund", { line: "L1" })).rejects.toThrow("not found");
    }
    expect(shop.calls).toHaveLength(4);
  });
});
