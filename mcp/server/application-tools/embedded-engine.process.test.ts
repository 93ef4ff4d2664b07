import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../../loopback/testing/bundle.ts";
import { poll } from "../../../loopback/testing/poll.ts";
import { textOf } from "../../testing/clients.ts";
import { startRealEngine, type RealEngine } from "../../testing/real-engine.ts";
import { toolApplication, type DeclaredTool, type ToolApplication } from "../../testing/tool-application.ts";

/**
 * Rules 114 to 119 of contract/mcp-client-rules.md from end to end: an application that registers its tools with the
 * embedded engine, and clients of both eras that call them through the tool server.
 */
let bundle: Bundle;
let engine: RealEngine;
/** Two versions of one application. */
let first: ToolApplication;
let second: ToolApplication;
const opened: Client[] = [];
/** On a busy machine; nothing here takes so long. */
const PATIENCE_MS = 60_000;
const LONG_TEST_MS = 90_000;

beforeAll(async () => {
  [bundle, engine] = await Promise.all([
    bundleEntry(new URL("../main.ts", import.meta.url)),
    startRealEngine({ IRONFLOW_AGENT_TOOLS_URL_ALLOWLIST: "127.0.0.1" }),
  ]);
});
afterAll(async () => {
  await engine.stop();
  await bundle.remove();
});

const REFUND: DeclaredTool = {
  name: "refund",
  description: "Refunds an order.",
  schema: {
    type: "object",
    properties: { line: { enum: ["L1", "L2", "L3"] }, cents: { type: "integer" } },
    required: ["line"],
    additionalProperties: false,
  },
};

beforeEach(async () => {
  [first, second] = await Promise.all([toolApplication(engine), toolApplication(engine)]);
  first.handlers.set("shop.refund", (input) => ({ output: { version: 1, input } }));
  second.handlers.set("shop.refund", (input) => ({ output: { version: 2, input } }));
  const { status, body } = await first.register([REFUND]);
  if (status !== 200) throw new Error(JSON.stringify(body));
});
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close();
  await first.close();
  await second.close();
});

const ERAS = [
  ["a handshake revision", "legacy" as const],
  ["2026-07-28", { pin: "2026-07-28" }],
] as const;

async function connect(mode: (typeof ERAS)[number][1], ...flags: string[]) {
  let changes = 0;
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => (changes += 1) } },
    },
  );
  opened.push(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bundle.file, "--server-url", engine.url, ...flags],
      env: { IRONFLOW_API_KEY: engine.apiKey },
      stderr: "ignore",
    }),
  );
  const published = async () =>
    (await client.listTools()).tools.filter(({ description }) =>
      description?.startsWith("[Application tool"),
    );
  return {
    client,
    changes: () => changes,
    published,
    /** The server asks the engine for changes at most once a second. */
    until: (what: string, names: readonly string[]) =>
      poll(
        what,
        async () => JSON.stringify((await published()).map(({ name }) => name)) === JSON.stringify(names),
        PATIENCE_MS,
      ),
    call: (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args }),
  };
}

describe.each(ERAS)("an application's tools for a client of %s", (_, mode) => {
  it.each<[string, DeclaredTool, RegExp]>([
    [
      "an invalid schema",
      { name: "x", schema: { type: "object", properties: { a: { type: "words" } } } },
      /valid/,
    ],
    ["a schema that is not JSON", { name: "x", schemaText: "{" }, /not JSON/],
    ["a root that is no object", { name: "x", schema: { type: "string" } }, /"object"/],
    [
      "a reference to another address",
      { name: "x", schema: { properties: { a: { $ref: "https://schemas.example/a.json" } } } },
      /outside of itself/,
    ],
    ["an illegal name", { name: "no blanks" }, /name/],
    ["a name that is there twice", { ...REFUND, schema: {} }, /twice/],
  ])("rule 114: %s is refused with its reason, and the others serve on", async (_what, bad, reason) => {
    const refused = await second.register([REFUND, bad]);
    expect(refused.status).toBe(400);
    expect(refused.body["message"]).toMatch(/^tools(\[|\.)1/);
    expect(refused.body["message"]).toMatch(reason);
    const { published, call } = await connect(mode, "--allow-writes");
    expect((await published()).map(({ name }) => name)).toEqual(["shop_refund"]);
    const done = await call("shop_refund", { line: "L1" });
    expect(done.structuredContent).toEqual({ version: 1, input: { line: "L1" } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a value outside of an enum", { line: "L9" }, 'arguments.line: value must be one of "L1", "L2", "L3"'],
    ["a missing one", {}, "arguments.line: is required"],
    ["one too many", { line: "L1", extra: 1 }, "arguments.extra: is not an argument here"],
    ["a wrong type", { line: "L1", cents: "5" }, "arguments.cents: must be an integer"],
  ])("rule 115: %s is told with its path, and the application hears nothing", async (_what, args, error) => {
    const { call } = await connect(mode, "--allow-writes");
    const refused = await call("shop_refund", args);
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatchObject({ error, code: "invalid_argument", retryable: false });
    expect(first.calls).toEqual([]);
  });

  it(
    "rule 116: draft 2020-12 holds unless the schema names another",
    async () => {
      // A list as `items` is one schema per place in draft-07, and no valid schema in 2020-12.
      const pair = { properties: { pair: { items: [{ type: "string" }, { type: "integer" }] } } };
      const draft07 = { $schema: "http://json-schema.org/draft-07/schema#", ...pair };
      const newer = { properties: { pair: { prefixItems: [{ type: "string" }, { type: "integer" }] } } };
      expect((await first.register([{ name: "old", schema: pair }])).status).toBe(400);
      await first.register([
        { name: "old", schema: draft07 },
        { name: "recent", schema: newer },
      ]);
      const { call, until } = await connect(mode, "--allow-writes");
      await until("both tools", ["shop_old", "shop_recent"]);
      for (const name of ["shop_old", "shop_recent"]) {
        const refused = await call(name, { pair: ["a", "b"] });
        expect(textOf(refused)).toMatchObject({ error: "arguments.pair[1]: must be an integer" });
        expect((await call(name, { pair: ["a", 2] })).isError).not.toBe(true);
      }
      expect(first.calls).toHaveLength(2);
    },
    LONG_TEST_MS,
  );

  it("rule 117: an object is structured and its JSON is the text, a text is text, an error keeps its words", async () => {
    const { call } = await connect(mode, "--allow-writes");
    const object = await call("shop_refund", { line: "L1" });
    expect(object.structuredContent).toEqual({ version: 1, input: { line: "L1" } });
    expect(textOf(object)).toEqual(object.structuredContent);

    first.handlers.set("shop.refund", () => ({ output: "done, and nothing else" }));
    const text = await call("shop_refund", { line: "L1" });
    expect(text.content).toEqual([{ type: "text", text: "done, and nothing else" }]);
    expect([text.structuredContent, text.isError === true]).toEqual([undefined, false]);

    first.handlers.set("shop.refund", () => ({ error: { code: "TILL", message: "the till is locked" } }));
    const failed = await call("shop_refund", { line: "L1" });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toMatchObject({
      error: "the till is locked",
      reason: "HANDLER_ERROR",
      retryable: false,
    });
    expect(first.calls).toHaveLength(3);
  });

  it("rule 118: no answer within the tool's time is said, and the call is made once", async () => {
    await first.register([{ ...REFUND, timeoutMs: 200 }]);
    first.handlers.set("shop.refund", () => new Promise(() => {}));
    const { call } = await connect(mode, "--allow-writes");
    const late = await call("shop_refund", { line: "L1" });
    expect(late.isError).toBe(true);
    expect(textOf(late)).toMatchObject({
      error: "no answer within 200 ms",
      code: "deadline_exceeded",
      reason: "CALLBACK_TIMEOUT",
      retryable: false,
    });
    expect(first.calls).toHaveLength(1);
  });

  it(
    "rule 119: a new registration waits for the calls under way, then the new version serves",
    async () => {
      const { call } = await connect(mode, "--allow-writes");
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      first.handlers.set("shop.refund", async (input) => {
        await held;
        return { output: { version: 1, input } };
      });
      const underWay = call("shop_refund", { line: "L1" });
      await poll("the call at the application", () => first.calls.length === 1, PATIENCE_MS);

      let isRegistered = false;
      const registration = second.register([REFUND]).then((answer) => {
        isRegistered = true;
        return answer;
      });
      // Far longer than a registration takes that waits for nothing.
      for (let question = 0; question < 50; question += 1) await fetch(`${engine.url}/health`);
      expect(isRegistered).toBe(false);
      const meanwhile = call("shop_refund", { line: "L2" });

      release();
      expect((await underWay).structuredContent).toEqual({ version: 1, input: { line: "L1" } });
      expect((await registration).status).toBe(200);
      expect((await meanwhile).isError).not.toBe(true);
      const after = await call("shop_refund", { line: "L3" });
      expect(after.structuredContent).toEqual({ version: 2, input: { line: "L3" } });
      expect(first.calls.length + second.calls.length).toBe(3);
    },
    LONG_TEST_MS,
  );

  it(
    "come and go while the server runs: the client is told, without having asked",
    async () => {
      const { changes, published } = await connect(mode, "--allow-writes");
      expect(await published()).toHaveLength(1);
      const before = changes();
      await first.register([REFUND, { name: "stock" }]);
      await poll("the news", () => changes() > before, PATIENCE_MS);
      expect((await published()).map(({ name }) => name)).toEqual(["shop_refund", "shop_stock"]);
    },
    LONG_TEST_MS,
  );

  it("are left out read-only and with --static-only", async () => {
    for (const flags of [[], ["--static-only"], ["--allow-writes", "--static-only"]]) {
      const { published, call } = await connect(mode, ...flags);
      expect(await published()).toEqual([]);
      await expect(call("shop_refund", { line: "L1" })).rejects.toThrow("not available");
    }
    expect(first.calls).toEqual([]);
  });
});
