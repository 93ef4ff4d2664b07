import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../../loopback/testing/bundle.ts";

/** A declared tool is tried where there is no engine at all, and no server: the application alone runs. */
let program: Bundle;
let folder: string;
let application: Server;
let callbackUrl: string;
let answer: { status: number; body: string };
const heard: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
const SECRET = "0f".repeat(32);
/** Nobody listens there. */
const NO_ENGINE = "http://127.0.0.1:1";

beforeAll(async () => {
  program = await bundleEntry(new URL("../main.ts", import.meta.url));
  folder = await mkdtemp(join(tmpdir(), "ironbridge-declared-"));
  application = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      heard.push({
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => application.listen(0, "127.0.0.1", resolve));
  callbackUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}/shop/dispatch?v=1`;
});
afterAll(async () => {
  application.closeAllConnections();
  await new Promise((resolve) => application.close(resolve));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  await program.remove();
});
beforeEach(() => {
  heard.length = 0;
  answer = { status: 200, body: '{"output":{"refunded":9007199254740993}}' };
});

const REFUND = {
  name: "refund",
  description: "Refunds.",
  inputSchemaJson: JSON.stringify({
    type: "object",
    properties: { line: { enum: ["L1", "L2"] } },
    required: ["line"],
  }),
};

async function declaration(content: unknown): Promise<string> {
  const file = join(folder, "tools.json");
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return `--declaration=${file}`;
}

const registration = (...tools: object[]) => ({ agentName: "shop", callbackUrl, tools });

async function tryTool(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program.file, "--server-url", NO_ENGINE, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  const out: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  const [code] = (await once(child, "close")) as [number];
  const { isError, text, structuredContent } = JSON.parse(Buffer.concat(out).toString("utf8")) as {
    isError: boolean;
    text: string;
    structuredContent?: unknown;
  };
  return { code, isError, text, structuredContent };
}

const failure = async (args: readonly string[], env: Record<string, string> = {}) => {
  const { code, isError, text } = await tryTool(args, env);
  expect(isError).toBe(true);
  return { exit: code, ...(JSON.parse(text) as { error: string; code: string; hint?: string }) };
};

describe("--try-tool with --declaration", () => {
  it("calls the application itself, signed, and prints what a client would get", async () => {
    const from = await declaration(registration(REFUND));
    const env = { IRONFLOW_AGENT_TOOLS_SECRET: SECRET };
    expect(await tryTool(["--try-tool=shop.refund", from, '--arguments={"line":"L1"}'], env)).toEqual({
      code: 0,
      isError: false,
      text: '{"refunded":9007199254740993}',
      structuredContent: { refunded: "9007199254740993" },
    });
    const [call] = heard;
    expect(heard).toHaveLength(1);
    expect(call).toMatchObject({
      path: "/shop/dispatch?v=1",
      body: '{"qualified_name":"shop.refund","input":{"line":"L1"}}',
    });
    const time = String(call?.headers["x-ironflow-timestamp"]);
    const hmac = createHmac("sha256", Buffer.from(SECRET, "hex")).update(`${time}.${call?.body}`);
    expect(call?.headers["x-ironflow-signature"]).toBe(`sha256=${hmac.digest("hex")}`);
  });

  it("calls nothing with --dry-run, and checks everything", async () => {
    const from = await declaration(registration(REFUND));
    const dry = ["--try-tool=shop_refund", from, "--dry-run"];
    expect(await tryTool([...dry, '--arguments={"line":"L1"}'])).toMatchObject({
      code: 0,
      isError: false,
      text: expect.stringContaining("Nothing was called."),
    });
    expect(await failure([...dry, '--arguments={"line":"L9"}'])).toMatchObject({
      exit: 4,
      error: 'arguments.line: value must be one of "L1", "L2"',
    });
    expect(heard).toEqual([]);
  });

  it.each<[string, () => unknown, number, RegExp]>([
    [
      "an invalid schema",
      () => registration(REFUND, { name: "x", inputSchemaJson: '{"required":7}' }),
      7,
      /shop\.x.*valid/,
    ],
    [
      "no object at the root",
      () => registration(REFUND, { name: "x", inputSchemaJson: '{"type":"array"}' }),
      7,
      /"array"/,
    ],
    [
      "a reference to elsewhere",
      () =>
        registration(REFUND, {
          name: "x",
          inputSchemaJson: '{"properties":{"a":{"$ref":"https://a.example/b"}}}',
        }),
      7,
      /outside of itself/,
    ],
    ["a name twice", () => registration(REFUND, REFUND), 7, /declared twice/],
    [
      "an illegal name",
      () => registration(REFUND, { name: "no blanks" }),
      4,
      /^--declaration: tools\.1\.name: /,
    ],
    ["no callback", () => ({ agentName: "shop", tools: [REFUND] }), 4, /^--declaration: callbackUrl: /],
    ["no JSON", () => "{", 4, /not JSON/],
  ])("refuses %s with its reason, whichever tool is tried", async (_, content, exit, error) => {
    const from = await declaration(content());
    const refused = await failure(["--try-tool=shop.refund", from, '--arguments={"line":"L1"}']);
    expect(refused).toMatchObject({ exit, error: expect.stringMatching(error) });
    expect(heard).toEqual([]);
  });

  it.each<[string, { status: number; body: string }, number, object]>([
    [
      "an error of the handler",
      { status: 200, body: '{"error":{"code":"TILL","message":"the till is locked"}}' },
      1,
      { error: "the till is locked", reason: "HANDLER_ERROR" },
    ],
    ["nonsense", { status: 200, body: "<html>" }, 1, { code: "data_loss" }],
    ["another status", { status: 404, body: "" }, 6, { code: "not_found" }],
    [
      "that it wants a signature",
      { status: 401, body: '{"error":"signature"}' },
      5,
      { code: "unauthenticated", hint: expect.stringContaining("IRONFLOW_AGENT_TOOLS_SECRET") },
    ],
  ])("tells when the application answers %s, and calls it once", async (_, said, exit, error) => {
    answer = said;
    const from = await declaration(registration(REFUND));
    const failed = await failure(["--try-tool=shop.refund", from, '--arguments={"line":"L1"}']);
    expect(failed).toMatchObject({ exit, ...error });
    expect(heard).toHaveLength(1);
  });

  it("tells when nobody listens at the callback, the file is not there, or it has no such tool", async () => {
    const away = await declaration({ ...registration(REFUND), callbackUrl: NO_ENGINE });
    expect(await failure(["--try-tool=shop.refund", away, '--arguments={"line":"L1"}'])).toMatchObject({
      exit: 3,
      error: `the application at ${NO_ENGINE} cannot be reached (ECONNREFUSED)`,
    });
    const missing = `--declaration=${join(folder, "none.json")}`;
    expect(await failure(["--try-tool=shop.refund", missing])).toMatchObject({ exit: 4 });
    const from = await declaration(registration(REFUND));
    expect(await failure(["--try-tool=shop.ghost", from])).toMatchObject({
      exit: 6,
      error: expect.stringContaining("no application declares a tool shop.ghost"),
      hint: "Known tools: shop.refund",
    });
  });
});
