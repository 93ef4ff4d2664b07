import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gzipSync } from "node:zlib";
import { ToolError } from "../contract/errors.ts";
import { TOOLS } from "../contract/tools.ts";
import type { ToolRow } from "../contract/tool-row.ts";
import { createIronflowEngine } from "../engines/ironflow.ts";
import { textOf, type Answer } from "../testing/clients.ts";
import { stubEngine, type StubAnswer, type StubEngine } from "../testing/stub-engine.ts";
import { toolServerFactory } from "./tool-server.ts";
import type { ServerOptions } from "./flags.ts";

/**
 * Every tool that asks the engine, against every way in which an engine can be broken, over real sockets. The deadline is
 * the client's own: short where the engine never comes to an end, long where what it does has to be seen.
 */
const DEADLINE_MS = { short: 400, long: 60_000 };
/** A tool may ask several times in a row, each within its deadline; and this machine may be busy. */
const ENDS_WITHIN_MS = 10_000;
const ANSWER_BYTES = 32 * 1024 * 1024;

let engine: StubEngine;
let fault: () => StubAnswer;
let clients: Record<keyof typeof DEADLINE_MS, Client>;
/** Requests that were left open are ended with the test. */
const held = new Set<ServerResponse>();

const options: ServerOptions = {
  serverUrl: "",
  apiKey: undefined,
  allowWrites: true,
  staticOnly: true,
  evidenceFile: undefined,
  app: true,
  terminal: undefined,
  transport: { kind: "stdio" },
};

beforeAll(async () => {
  engine = await stubEngine({ "*": () => fault() });
  clients = { short: await connected(DEADLINE_MS.short), long: await connected(DEADLINE_MS.long) };
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  for (const response of held) response.destroy();
  await engine.close();
});

async function connected(deadlineMs: number): Promise<Client> {
  const api = createIronflowEngine({
    baseUrl: engine.url,
    apiKey: "ifkey_very_secret",
    limits: { deadlineMs, firstDelayMs: 1, answerBytes: ANSWER_BYTES, retryAfterMaxMs: 20 },
  });
  const parts = { evidence: undefined, applications: undefined, live: undefined };
  const server = toolServerFactory({ version: "0", engine: api, options, ...parts })({ era: "legacy" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

const write = (send: (response: ServerResponse) => void): (() => StubAnswer) => {
  return () => (response) => {
    held.add(response);
    response.once("close", () => held.delete(response));
    response.on("error", () => {
      // The client has hung up, as it should.
    });
    send(response);
  };
};

/** Sends a byte every now and then, for ever. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 50);
  response.once("close", () => clearInterval(timer));
}

/** As much as is taken, up to `bytes`. */
function flood(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(1024 * 1024, "x");
  let left = bytes;
  const more = () => {
    while (left > 0) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

type Fault = {
  readonly answer: () => StubAnswer;
  /** Codes that the documented error may have. */
  readonly codes: readonly string[];
  readonly error?: Partial<ToolError>;
  /** It never comes to an end by itself. */
  readonly isEndless?: true;
  /** The engine says that it did nothing, so that even a write may be sent again. */
  readonly isOutcomeKnown?: true;
};

/** What has another effect when it is sent twice, for these calls carry no idempotency key. */
const ONCE: ReadonlySet<string> = new Set([
  "ironflow_emit_event",
  "ironflow_invoke_function",
  "ironflow_append_entity_event",
  "ironflow_resume_run",
  "ironflow_rebuild_projection",
]);

const FAULTS: Readonly<Record<string, Fault>> = {
  "cuts the connection": { answer: write((response) => response.destroy()), codes: ["unavailable"] },
  "never answers": { answer: write(() => {}), codes: ["deadline_exceeded"], isEndless: true },
  "answers by half": {
    answer: write((response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"runs":', () => response.destroy());
    }),
    codes: ["unavailable"],
  },
  "drips slowly": { answer: write(drip), codes: ["deadline_exceeded"], isEndless: true },
  "is no JSON": { answer: () => ({ text: "not { json" }), codes: ["data_loss"] },
  "is empty": { answer: () => ({ text: "" }), codes: ["data_loss"] },
  "has wrong types": {
    answer: () => ({ json: [{ id: { nested: true }, runs: 7, functions: "x", name: 1 }] }),
    codes: ["data_loss"],
  },
  "is a number": { answer: () => ({ json: 7 }), codes: ["data_loss"] },
  "is not UTF-8": {
    answer: write((response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))),
    codes: ["data_loss"],
  },
  "answers 429 with Retry-After": {
    answer: () => ({
      status: 429,
      headers: { "retry-after": "60" },
      json: { code: "resource_exhausted", message: "slow down" },
    }),
    codes: ["resource_exhausted"],
    error: { retryable: true, retry_after: 60, error: "slow down" },
    isOutcomeKnown: true,
  },
  "answers 429 without": {
    answer: () => ({ status: 429, json: { error: "slow down" } }),
    codes: ["resource_exhausted"],
    error: { retryable: true, error: "slow down" },
    isOutcomeKnown: true,
  },
  "answers 500 with a stack": {
    answer: () => ({ status: 500, text: `panic: ${"goroutine 1 [running]\n".repeat(500)}` }),
    codes: ["unknown", "internal"],
  },
  "answers 503": {
    answer: () => ({ status: 503, json: { code: "unavailable", message: "starting" } }),
    codes: ["unavailable"],
  },
  "refuses the key and repeats it": {
    answer: () => ({ status: 401, json: { error: "no such key: ifkey_very_secret" } }),
    codes: ["unauthenticated"],
    error: { retryable: false },
  },
  "forbids it": {
    answer: () => ({ status: 403, json: { code: "permission_denied", message: "no" } }),
    codes: ["permission_denied"],
    error: { retryable: false },
  },
  redirects: {
    answer: () => ({ status: 302, headers: { location: "http://127.0.0.1:1/elsewhere" } }),
    codes: ["failed_precondition"],
    error: { retryable: false },
  },
  "is another service's page": {
    answer: () => ({ text: "<html>welcome</html>", headers: { "content-type": "text/html" } }),
    codes: ["unimplemented", "data_loss"],
  },
  "knows no such route": {
    answer: () => ({ status: 404, text: "404 page not found" }),
    codes: ["unimplemented"],
  },
  "sends a gzip bomb": {
    answer: write((response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(BOMB);
    }),
    codes: ["resource_exhausted"],
  },
};
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024));

/** Arguments with which each tool gets to the engine. */
const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  ironflow_get_docs: { topic: "openapi" },
  ironflow_get_run: { run_id: "run_1" },
  ironflow_get_run_steps: { run_id: "run_1" },
  ironbridge_get_run_attempts: { run_id: "run_1" },
  ironflow_wait_for_run: { run_id: "run_1", timeout_seconds: 1 },
  ironflow_cancel_run: { run_id: "run_1" },
  ironflow_resume_run: { run_id: "run_1" },
  ironflow_delete_run: { run_id: "run_1", confirm: true },
  ironflow_get_function: { function_id: "f" },
  ironbridge_function_history: { function_id: "f" },
  ironflow_invoke_function: { function_id: "f" },
  ironbridge_get_event: { event_id: "evt_1" },
  ironflow_explain_event_match: { event: "e" },
  ironflow_emit_event: { event: "e" },
  ironflow_read_entity_stream: { entity_id: "e" },
  ironflow_append_entity_event: { entity_id: "e", entity_type: "t", event: "e" },
  ironflow_delete_stream: { entity_id: "e", confirm: true },
  ironflow_projection_status: { name: "p" },
  ironflow_rebuild_projection_status: { name: "p" },
  ironflow_rebuild_projection: { name: "p" },
  ironflow_sql_query: { query: "SELECT 1", timeout_ms: 1 },
  ironflow_secret_set: { name: "S", value: "sk_hidden" },
  ironflow_kv_list_keys: { bucket: "b" },
  ironflow_kv_get: { bucket: "b", key: "k" },
  ironflow_kv_put: { bucket: "b", key: "k", value: 1 },
  ironflow_dead_letter_list: { env: "env_default" },
  ironflow_outbox_dlq_list: { env: "env_default" },
  ironflow_outbox_dlq_requeue: { env: "env_default", event_id: "evt_1" },
  ironflow_outbox_dlq_discard: { env: "env_default", event_id: "evt_1", confirm: true },
  ironflow_redact_event: { event_id: "evt_1", confirm: true },
  ironflow_redact_run: { run_id: "run_1", confirm: true },
  ironflow_redact_step: { step_id: "s", confirm: true },
  ironflow_circuit_breaker_reset: { key: "k" },
  ironbridge_breaker_failures: { key: "k" },
};

const rows: readonly ToolRow[] = TOOLS;
const asking = rows.filter(({ mode }) => mode === "read" || mode === "write");
const COUNT = Object.keys(FAULTS).length * asking.length;

/** What is wrong with how a tool told of the fault; nothing when all is well. */
function problemsOf(row: ToolRow, broken: Fault, answer: Answer, tookMs: number): string[] {
  const text = JSON.stringify(answer.content);
  const error = ToolError.safeParse(answer.isError === true ? textOf(answer) : undefined).data;
  if (error === undefined) return [`is no error object: ${text}`];
  // A write that was sent twice would be the worst fault of all. The other surface of the engine is another route.
  const sent = row.risk === "read" ? [] : engine.requests.map(({ method, path }) => `${method} ${path}`);
  const wanted = Object.entries(broken.error ?? {});
  const checks: [string, boolean][] = [
    [`has the code ${error.code}`, broken.codes.includes(error.code)],
    [
      "differs from what is documented",
      wanted.every(([key, value]) => error[key as keyof ToolError] === value),
    ],
    ["is empty or long", error.error !== "" && Buffer.byteLength(error.error) <= 400],
    ["tells a secret", !/ifkey_very_secret|sk_hidden/.test(text)],
    [`came after ${Math.round(tookMs)} ms`, tookMs < ENDS_WITHIN_MS],
    [`sent ${sent.join(", ")}`, new Set(sent).size === sent.length],
    [
      "invites a second time what may be done",
      !ONCE.has(row.name) || broken.isOutcomeKnown === true || !error.retryable,
    ],
  ];
  return checks.filter(([, isGood]) => !isGood).map(([problem]) => `${row.name} ${problem}: ${text}`);
}

describe(`${COUNT} faults of the engine's side`, () => {
  it.each(Object.entries(FAULTS))("an engine that %s: each tool says so in time", async (_name, broken) => {
    fault = broken.answer;
    const client = clients[broken.isEndless ? "short" : "long"];
    const problems: string[] = [];
    for (const row of asking) {
      engine.requests.length = 0;
      const startedMs = performance.now();
      const answer = await client.callTool({ name: row.name, arguments: ARGUMENTS[row.name] ?? {} });
      problems.push(...problemsOf(row, broken, answer, performance.now() - startedMs));
    }
    expect(problems).toEqual([]);
  });

  it("an answer of 40 MB is cut off at the limit, and the memory is given back", async () => {
    fault = write((response) => flood(response, 40 * 1024 * 1024));
    const short = { deadlineMs: 20_000, answerBytes: ANSWER_BYTES, firstDelayMs: 1 };
    const api = createIronflowEngine({ baseUrl: engine.url, limits: short });
    for (let round = 0; round < 3; round += 1) {
      await expect(api.listRuns({ limit: 1, offset: 0 }, {})).rejects.toMatchObject({
        code: "resource_exhausted",
        retryable: false,
        message: expect.stringContaining("larger than"),
      });
    }
    await expect.poll(() => held.size).toBe(0);
  });
});
