import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../../loopback/testing/bundle.ts";
import { poll } from "../../../loopback/testing/poll.ts";
import { newerEra } from "../../testing/engine-eras.ts";
import { httpServer, type HttpServer } from "../../testing/http-server.ts";
import { stubEngine, type StubEngine } from "../../testing/stub-engine.ts";
import { textOf } from "../../testing/clients.ts";

const LIST = "POST /ironflow.v1.AgentToolsService/ListTools";
const INVOKE = "POST /ironflow.v1.AgentToolsService/InvokeTool";
const TOKEN = "test-token-of-the-http-server";

const REFUND = {
  qualifiedName: "shop.refund",
  description: "Refunds an order.",
  inputSchemaJson: JSON.stringify({
    type: "object",
    properties: { line: { enum: ["L1", "L2", "L3"] } },
    required: ["line"],
    additionalProperties: false,
  }),
  requiredScopes: [],
};
const STOCK = { qualifiedName: "shop.stock", description: "Counts.", inputSchemaJson: "" };

let file: Bundle;
let engine: StubEngine;
let declared: object[];
let answer: object;
const opened: Client[] = [];

beforeAll(async () => {
  file = await bundleEntry(new URL("../main.ts", import.meta.url));
});
afterAll(() => file.remove());

beforeEach(async () => {
  declared = [REFUND, { ...STOCK, qualifiedName: "shop.bad", inputSchemaJson: '{"type":"string"}' }];
  answer = { output: { refunded: true, id: "9007199254740993" } };
  engine = await stubEngine({
    ...newerEra(),
    [LIST]: ({ body }) => {
      const { cursor } = body as { cursor?: string };
      // Two pages, as the engine sends them.
      return cursor === undefined
        ? { json: { tools: declared.slice(0, 1), nextCursor: declared.length > 1 ? "2" : "" } }
        : { json: { tools: declared.slice(1) } };
    },
    [INVOKE]: () => ({ json: answer }),
  });
});
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close();
  await engine.close();
});

async function connected(transport: Transport, mode: "legacy" | { pin: string }) {
  let changes = 0;
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => (changes += 1) } },
    },
  );
  opened.push(client);
  await client.connect(transport);
  return { client, changes: () => changes };
}

const stdio = (...flags: string[]) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [file.file, "--server-url", engine.url, ...flags],
    stderr: "ignore",
  });

const applicationTools = async (client: Client) =>
  (await client.listTools()).tools.filter(({ description }) => description?.startsWith("[Application tool"));

const invoked = () => engine.requests.filter(({ path }) => path.endsWith("/InvokeTool"));

describe.each([
  ["a handshake revision", "legacy" as const],
  ["2026-07-28", { pin: "2026-07-28" }],
])("application tools for %s", (_, mode) => {
  it("are listed with their application's name, the good ones only, and called with checked arguments", async () => {
    const { client } = await connected(stdio("--allow-writes"), mode);
    expect(await applicationTools(client)).toMatchObject([
      {
        name: "shop_refund",
        title: "shop.refund",
        description: "[Application tool shop.refund] Refunds an order.",
        inputSchema: { type: "object", required: ["line"] },
        annotations: { readOnlyHint: false, destructiveHint: true },
      },
    ]);
    const done = await client.callTool({ name: "shop_refund", arguments: { line: "L1" } });
    expect(done.structuredContent).toEqual({ refunded: true, id: "9007199254740993" });
    expect(textOf(done)).toEqual(done.structuredContent);
    expect(invoked().map(({ body }) => body)).toEqual([{ toolName: "shop.refund", input: { line: "L1" } }]);

    const refused = await client.callTool({ name: "shop_refund", arguments: { line: "L9" } });
    expect(textOf(refused)).toMatchObject({
      error: 'arguments.line: value must be one of "L1", "L2", "L3"',
      code: "invalid_argument",
    });
    expect(invoked()).toHaveLength(1);
    await expect(client.callTool({ name: "shop_bad", arguments: {} })).rejects.toThrow("not available");
  });

  it("come and go while the server runs, and the client is told", async () => {
    const { client, changes } = await connected(stdio("--allow-writes"), mode);
    expect(await applicationTools(client)).toHaveLength(1);
    const before = changes();
    declared = [REFUND, STOCK];
    await poll("the news", async () => {
      await client.listTools(); // asks the engine again at most once a second
      return changes() > before;
    });
    // The news may have been of the start: the list is what counts.
    await poll("both tools", async () => (await applicationTools(client)).length === 2);
    expect((await applicationTools(client)).map(({ name }) => name)).toEqual(["shop_refund", "shop_stock"]);
    expect((await client.callTool({ name: "shop.stock", arguments: {} })).isError).not.toBe(true);
  });

  it("are left out without writes and with --static-only, and the engine is not even asked", async () => {
    for (const flags of [[], ["--allow-writes", "--static-only"]]) {
      const { client } = await connected(stdio(...flags), mode);
      expect(await applicationTools(client)).toEqual([]);
      await expect(client.callTool({ name: "shop_refund", arguments: {} })).rejects.toThrow("not available");
    }
    expect(engine.requests.some(({ path }) => path.endsWith("/ListTools"))).toBe(false);
  });

  it.each([
    ["TOOL_NOT_FOUND", "not_found"],
    ["SCOPE_MISMATCH", "permission_denied"],
    ["INPUT_SCHEMA_INVALID", "invalid_argument"],
    ["CALLBACK_UNREACHABLE", "unavailable"],
    ["CALLBACK_TIMEOUT", "deadline_exceeded"],
    ["CALLBACK_INVALID_RESPONSE", "data_loss"],
    ["HANDLER_ERROR", "unknown"],
    ["SOMETHING_NEW", "unknown"],
  ])("fail with the error object for %s, and are not called twice", async (reason, code) => {
    const { client } = await connected(stdio("--allow-writes"), mode);
    answer = { error: { code: reason, message: "the till is locked" } };
    const failed = await client.callTool({ name: "shop_refund", arguments: { line: "L1" } });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toMatchObject({
      error: "the till is locked",
      code,
      reason,
      retryable: false,
      hint: expect.stringMatching(/./),
    });
    expect(invoked()).toHaveLength(1);
  });

  it("answer text as text", async () => {
    const { client } = await connected(stdio("--allow-writes"), mode);
    answer = { output: "done" };
    const done = await client.callTool({ name: "shop_refund", arguments: { line: "L1" } });
    expect(done).toMatchObject({ content: [{ type: "text", text: "done" }] });
    expect(done.structuredContent).toBeUndefined();
  });
});

describe("over HTTP", () => {
  let server: HttpServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "ironbridge-apps-"));
    server = await httpServer(file.file, engine.url, TOKEN, folder, ["--allow-writes"]);
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it.each([
    ["a handshake revision", "legacy" as const],
    ["2026-07-28", { pin: "2026-07-28" }],
  ])("a client of %s is told of a change too", async (_, mode) => {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
    });
    const { client, changes } = await connected(transport, mode);
    expect(await applicationTools(client)).toHaveLength(1);
    const before = changes();
    declared = [REFUND, STOCK];
    await poll("the news", async () => {
      await client.listTools();
      return changes() > before;
    });
  });
});

describe("--try-tool", () => {
  const tryTool = async (...args: string[]) => {
    const child = spawn(process.execPath, [file.file, "--server-url", engine.url, ...args]);
    const out: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    const [code] = (await once(child, "close")) as [number];
    const text = Buffer.concat(out).toString("utf8");
    return { code, shown: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>) };
  };

  it("calls a declared tool without server and client, and prints what a client would get", async () => {
    expect(await tryTool("--try-tool=shop.refund", '--arguments={"line":"L1"}')).toEqual({
      code: 0,
      shown: {
        isError: false,
        text: '{"refunded":true,"id":"9007199254740993"}',
        structuredContent: { refunded: true, id: "9007199254740993" },
      },
    });
  });

  it.each([
    ["wrong arguments", ["--try-tool=shop.refund"], 4, "arguments.line: is required"],
    ["a bad declaration", ["--try-tool=shop.bad"], 7, `root has type`],
    ["an unknown tool", ["--try-tool=ghost"], 6, "no application declares"],
  ])("ends with the code of the error's class for %s", async (_, args, code, words) => {
    const tried = await tryTool(...args);
    expect(tried.code).toBe(code);
    expect(tried.shown).toMatchObject({ isError: true, text: expect.stringContaining(words) });
    expect(invoked()).toHaveLength(0);
  });
});
