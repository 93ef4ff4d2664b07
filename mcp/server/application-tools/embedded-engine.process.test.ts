import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ownProcessEnv } from "../../../loopback/environment.ts";
import { bundleEntry, type Bundle } from "../../../loopback/testing/bundle.ts";
import { McpSession } from "../../client/session.ts";
import { startRealEngine, type RealEngine } from "../../testing/real-engine.ts";
import { textOf, type Answer } from "../../testing/clients.ts";

/** An application that registers a tool with the embedded engine, and an agent that calls it through the tool server. */
let server: Bundle;
let engine: RealEngine;
let session: McpSession;
const called: unknown[] = [];
const application = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { input: { line: string } };
    called.push(body);
    const failed = { error: { code: "HANDLER_ERROR", message: "the till is locked" } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(body.input.line === "L3" ? failed : { output: { refunded: body.input.line } }),
    );
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => application.listen(0, "127.0.0.1", resolve));
  const callbackUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}`;
  [server, engine] = await Promise.all([
    bundleEntry(new URL("../main.ts", import.meta.url)),
    startRealEngine({ IRONFLOW_AGENT_TOOLS_URL_ALLOWLIST: "127.0.0.1" }),
  ]);
  const schema = { type: "object", properties: { line: { enum: ["L1", "L2", "L3"] } }, required: ["line"] };
  const registered = await fetch(`${engine.url}/ironflow.v1.AgentToolsService/RegisterTool`, {
    method: "POST",
    headers: { authorization: `Bearer ${engine.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      agentName: "shop",
      callbackUrl,
      tools: [{ name: "refund", description: "Refunds.", inputSchemaJson: JSON.stringify(schema) }],
    }),
  });
  if (!registered.ok) throw new Error(await registered.text());
  session = await McpSession.connect({
    command: process.execPath,
    args: [server.file, "--allow-writes", "--server-url", engine.url],
    cwd: tmpdir(),
    env: ownProcessEnv({ extra: { IRONFLOW_API_KEY: engine.apiKey } }),
    clientInfo: { name: "test", version: "1" },
  });
});
afterAll(async () => {
  await session.close();
  await engine.stop();
  await server.remove();
  application.closeAllConnections();
  await new Promise((resolve) => application.close(resolve));
});

it("calls an application's tool through the embedded engine, arguments checked, failures told", async () => {
  const done = await session.callTool("shop_refund", { line: "L1" });
  expect(done.structuredContent).toEqual({ refunded: "L1" });
  const wrong = (await session.callTool("shop_refund", { line: "L9" })) as Answer;
  expect(textOf(wrong)).toMatchObject({ code: "invalid_argument" });
  expect(called).toHaveLength(1);
  const failed = (await session.callTool("shop_refund", { line: "L3" })) as Answer;
  expect(failed.isError).toBe(true);
  expect(textOf(failed)).toMatchObject({
    error: "the till is locked",
    reason: "HANDLER_ERROR",
    retryable: false,
  });
});
