import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../loopback/testing/alive.ts";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { toolByName, type ToolName } from "../contract/tools.ts";
import { CLIENTS, textOf, type AnyClient, type Answer, type Connect } from "../testing/clients.ts";
import { newerEra, restOnly } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine, type StubRoute } from "../testing/stub-engine.ts";

const INFO = { name: "test", version: "1" };
let server: Bundle;

beforeAll(async () => {
  server = await bundleEntry(new URL("./main.ts", import.meta.url));
});
afterAll(() => server.remove());

const connectAny: Connect = CLIENTS[3].connect;

const on = (engine: StubEngine) => ({ args: [server.file, "--server-url", engine.url] });

/** Every tool that an engine answers, with arguments that these stubs know. */
const CALLS: [ToolName, Record<string, unknown>][] = [
  ["ironflow_server_info", {}],
  ["ironflow_overview", {}],
  ["ironflow_list_runs", { status: "failed" }],
  ["ironflow_list_runs", { status: "failed,paused", offset: 0, search: "run" }],
  ["ironflow_get_run", { run_id: "run_1" }],
  ["ironflow_get_run_steps", { run_id: "run_1" }],
  ["ironflow_wait_for_run", { run_id: "run_1" }],
  ["ironflow_cancel_run", { run_id: "run_1", reason: "no longer wanted" }],
  ["ironflow_resume_run", { run_id: "run_1" }],
  ["ironflow_list_functions", {}],
  ["ironflow_get_function", { function_id: "ship-order" }],
  ["ironflow_invoke_function", { function_id: "ship-order", data: { order: 7 } }],
  ["ironflow_list_events", { names: "order.placed" }],
  ["ironbridge_get_event", { event_id: "evt_1" }],
  ["ironflow_emit_event", { event: "order.placed", data: { order: 7 } }],
  ["ironflow_list_projects", {}],
  ["ironflow_list_environments", {}],
  ["ironflow_list_workers", {}],
  ["ironflow_circuit_breaker_list", {}],
  ["ironflow_circuit_breaker_reset", { key: "ship-order|http://127.0.0.1:1/ship" }],
  ["ironflow_dead_letter_list", { env: "env_default" }],
  ["ironflow_list_entity_streams", { entity_type: "order", search: "7" }],
  ["ironflow_read_entity_stream", { entity_id: "order-7", direction: "backward" }],
  [
    "ironflow_append_entity_event",
    { entity_id: "order-7", entity_type: "order", event: "order.placed", data: ["a", 1] },
  ],
  ["ironflow_list_projections", {}],
  ["ironflow_projection_status", { name: "orders" }],
  ["ironflow_rebuild_projection_status", { name: "orders" }],
  ["ironflow_rebuild_projection", { name: "orders", dry_run: true }],
  ["ironflow_sql_query", { query: "SELECT id, n FROM runs" }],
  ["ironflow_list_secrets", {}],
  ["ironflow_secret_set", { name: "STRIPE_KEY", value: "sk_very_secret" }],
  ["ironflow_secret_set", { name: "NEW_KEY", value: "sk_very_secret" }],
  ["ironflow_kv_list_buckets", {}],
  ["ironflow_kv_list_keys", { bucket: "APP_shop" }],
  ["ironflow_kv_get", { bucket: "APP_shop", key: "settings/tax" }],
  ["ironflow_kv_put", { bucket: "APP_shop", key: "settings/tax", value: { rate: 0.2 } }],
  ["ironflow_outbox_dlq_list", { env: "env_default" }],
  ["ironflow_outbox_dlq_requeue", { env: "env_default", event_id: "evt_3" }],
  ["ironflow_outbox_dlq_discard", { env: "env_default", event_id: "evt_3", confirm: true }],
];

/** What the older era does not have at all: the answer says so, and never that something was done. */
const NEWER_ONLY: [ToolName, Record<string, unknown>][] = [
  ["ironflow_delete_run", { run_id: "run_1", confirm: true }],
  ["ironflow_redact_event", { event_id: "evt_1", confirm: true }],
  ["ironflow_redact_run", { run_id: "run_1", confirm: true }],
  ["ironflow_redact_step", { step_id: "step_1", confirm: true }],
  ["ironflow_delete_stream", { entity_id: "order-7", purge: true, confirm: true }],
  ["ironflow_explain_event_match", { event: "order.placed", data: '{"order":7}' }],
];

/** An integer above 2^53 is exact in the text, and text in structuredContent: JSON.parse of the former loses digits. */
const withoutWideNumbers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/"?900719925474099[0-9]"?/g, "0"));

/** The answers without what must differ: the stub's own address. */
async function allAnswers(client: AnyClient, engine: StubEngine): Promise<unknown[]> {
  // Once tools are listed, a client of either SDK checks every answer against the tool's output schema.
  await client.listTools();
  const answers: unknown[] = [];
  for (const [name, args] of CALLS) {
    const answer = await client.call(name, args);
    if (answer.isError === true) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
    const wrapped = toolByName(name)?.bareArray === true ? { items: textOf(answer) } : textOf(answer);
    expect(withoutWideNumbers(answer.structuredContent)).toEqual(withoutWideNumbers(wrapped));
    answers.push([name, answer.structuredContent]);
  }
  return JSON.parse(JSON.stringify(answers).replaceAll(engine.url, "http://engine")) as unknown[];
}

async function answersOf(connect: Connect, routes: Record<string, StubRoute>): Promise<unknown[]> {
  const engine = await stubEngine(routes);
  const client = await connect({ args: [...on(engine).args, "--allow-writes", "--app"] });
  try {
    return await allAnswers(client, engine);
  } finally {
    await client.close();
    await engine.close();
    await poll("the server's process is gone", () => client.pid !== null && !isAlive(client.pid));
  }
}

describe.each(CLIENTS)("the tool server for $name", ({ connect }) => {
  it("gives the same, well-formed answers from engines of both eras, and is gone after close", async () => {
    const [newer, rest] = await Promise.all([answersOf(connect, newerEra()), answersOf(connect, restOnly())]);
    expect(rest).toEqual(newer);
    expect(newer).toHaveLength(CALLS.length);
    expect(JSON.stringify(newer)).not.toMatch(/RUN_STATUS_|STEP_STATUS_|EXECUTION_MODE_/);
  });

  it("does what only the newer era can, and says of an older engine that it cannot", async () => {
    const answersFrom = async (era: Record<string, StubRoute>) => {
      const engine = await stubEngine(era);
      const client = await connect({ args: [...on(engine).args, "--allow-writes"] });
      await client.listTools();
      const answers: Answer[] = [];
      for (const [name, args] of NEWER_ONLY) answers.push(await client.call(name, args));
      await client.close();
      await engine.close();
      return answers;
    };
    for (const answer of await answersFrom(newerEra()))
      expect(answer.structuredContent).toEqual(textOf(answer));
    for (const answer of await answersFrom(restOnly())) {
      expect(answer.isError).toBe(true);
      expect(textOf(answer)).toMatchObject({ code: "unimplemented", retryable: false });
    }
  });

  it("answers a failed call with the error object, and bad arguments without asking the engine", async () => {
    const engine = await stubEngine(newerEra());
    const client = await connect(on(engine));
    try {
      const missing = await client.call("ironflow_get_run", { run_id: "run_none" });
      expect(missing.isError).toBe(true);
      expect(textOf(missing)).toMatchObject({ code: "not_found", error: "run not found", retryable: false });

      const asked = engine.requests.length;
      const bad = await client.call("ironflow_get_run", { run: "run_1" });
      expect(textOf(bad)).toMatchObject({
        code: "invalid_argument",
        error:
          "arguments.run_id: is required and must be a string; arguments.run: is not an argument here; it takes run_id",
      });
      expect(engine.requests).toHaveLength(asked);
    } finally {
      await client.close();
      await engine.close();
    }
  });
});

describe("an engine with a fault", () => {
  const LIST = "POST /ironflow.v1.IronflowService/ListRuns";
  const EMIT = "POST /ironflow.v1.IronflowService/Emit";
  const cut: StubRoute = () => (response) => response.destroy();
  const halfAnswer: StubRoute = () => (response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"runs":', () => response.destroy());
  };

  it.each<[string, StubRoute, object]>([
    ["cuts the connection", cut, { code: "unavailable", retryable: true }],
    ["answers by half", halfAnswer, { code: "unavailable", retryable: true }],
    ["speaks nonsense", () => ({ text: "<html>" }), { code: "data_loss", retryable: false }],
    ["has a wrong type", () => ({ json: { runs: [{ id: 7 }] } }), { code: "data_loss", retryable: false }],
    [
      "asks to wait",
      () => ({
        status: 429,
        headers: { "retry-after": "60" },
        json: { code: "resource_exhausted", message: "slow" },
      }),
      { code: "resource_exhausted", retryable: true, retry_after: 60, error: "slow" },
    ],
    [
      "refuses the key",
      () => ({ status: 401, json: { error: "authentication required" } }),
      { code: "unauthenticated", retryable: false, error: "authentication required" },
    ],
    [
      "redirects",
      () => ({ status: 302, headers: { location: "/" } }),
      { code: "failed_precondition", retryable: false },
    ],
  ])("that %s gives the error object", async (_fault, route, expected) => {
    const engine = await stubEngine({ ...newerEra(), [LIST]: route, [EMIT]: cut });
    const client = await connectAny({ args: [...on(engine).args, "--allow-writes"] });
    const answer = await client.call("ironflow_list_runs", {});
    const write = await client.call("ironflow_emit_event", { event: "order.placed" });
    await client.close();
    await engine.close();
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toMatchObject({ error: expect.stringMatching(/./), ...expected });
    expect(textOf(write)).toMatchObject({ code: "unavailable", retryable: false });
    expect(engine.requests.filter(({ path }) => path.endsWith("/Emit"))).toHaveLength(1);
  });

  it("that took a change and answers nonsense is not asked again, and the caller hears that it may be done", async () => {
    const engine = await stubEngine({ ...newerEra(), [EMIT]: () => ({ json: { stored: true } }) });
    const client = await connectAny({ args: [...on(engine).args, "--allow-writes"] });
    const write = await client.call("ironflow_emit_event", { event: "order.placed" });
    await client.close();
    await engine.close();
    expect(textOf(write)).toMatchObject({ code: "data_loss", retryable: false });
    expect(JSON.stringify(textOf(write))).toContain("probably made");
    expect(engine.requests.filter(({ path }) => path.endsWith("/Emit"))).toHaveLength(1);
  });
});

describe("what is offered", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ironbridge-offered-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const namesFor = async (flags: string[]) => {
    const engine = await stubEngine(newerEra());
    const client = await connectAny({
      args: [...on(engine).args, ...flags],
      env: { IRONFLOW_TERMINAL_BRIDGE_TOKEN: "ibk_x" },
    });
    const { tools } = await client.listTools();
    const refusalOf = (name: string) =>
      client.call(name, { nonsense: 1 }).then(
        () => undefined,
        (error: unknown) => String(error),
      );
    const refused = [
      await refusalOf("ironflow_emit_event"),
      await refusalOf("ironflow_await_reload"),
      await refusalOf("ironflow_terminal_run"),
    ];
    await client.close();
    await engine.close();
    const names = tools.map(({ name }) => name);
    return { names, engineTools: names.filter((name) => name.startsWith("ironflow_")), refused };
  };
  const bridge = ["--terminal-bridge-url", "http://127.0.0.1:1"];

  it("is 27 tools, 43 with writes, 44 with evidence, and the terminal pair beside them", async () => {
    const trail = ["--evidence-file", join(folder, "trail.jsonl")];
    const readOnly = await namesFor([]);
    expect(readOnly.engineTools).toHaveLength(27);
    expect(readOnly.refused[0]).toContain("without --allow-writes");
    const writes = await namesFor(["--allow-writes"]);
    expect(writes.engineTools).toHaveLength(43);
    expect(writes.refused[0]).toBeUndefined();
    expect(writes.refused[1]).toContain("without --evidence-file");
    expect(writes.refused[2]).toContain("without --terminal-bridge-url");
    const evidence = await namesFor(["--allow-writes", ...trail]);
    expect(evidence.engineTools).toHaveLength(44);
    expect(evidence.refused[1]).toBeUndefined();
    const terminal = await namesFor(["--allow-writes", ...trail, ...bridge]);
    expect(terminal.engineTools).toHaveLength(46);
    expect(terminal.engineTools).toEqual(
      expect.arrayContaining(["ironflow_terminal_run", "ironflow_terminal_read"]),
    );
  });

  it("has no reload barrier with an evidence file that cannot be opened", async () => {
    const missing = ["--allow-writes", "--evidence-file", join(folder, "no", "such", "folder.jsonl")];
    expect((await namesFor(missing)).engineTools).toHaveLength(43);
  });

  it("has what the app's screens need with --app only", async () => {
    expect((await namesFor([])).names).not.toContain("ironbridge_get_event");
    expect((await namesFor(["--app"])).names).toContain("ironbridge_get_event");
  });
});

describe("the tool server's process", () => {
  it("writes nothing but JSON-RPC to stdout and ends with 0 when stdin ends", async () => {
    const engine = await stubEngine(newerEra());
    const child = spawn(process.execPath, [server.file, "--server-url", engine.url]);
    const stdout: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO },
    });
    send({ method: "notifications/initialized" });
    child.stdin.write("this is not JSON\n");
    send({ id: 2, method: "tools/call", params: { name: "ironflow_server_info", arguments: {} } });
    await poll("an answer", () => Buffer.concat(stdout).includes('"id":2'));
    child.stdin.end();
    const [code] = (await once(child, "exit")) as [number];
    await engine.close();
    expect(code).toBe(0);
    const lines = Buffer.concat(stdout).toString("utf8").trimEnd().split("\n");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("ends with 0 on SIGTERM", async () => {
    const child = spawn(process.execPath, [server.file]);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO } })}\n`,
    );
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each([
    { args: ["--nonsense"], says: "--nonsense: there is no such flag; --help lists them" },
    {
      args: ["--server-url", "http://me:pw@127.0.0.1"],
      says: "--server-url must not carry a name or password",
    },
    {
      args: ["--transport", "streamable-http"],
      says: "--transport streamable-http needs IRONFLOW_MCP_BEARER_TOKEN",
    },
    { args: ["--terminal-bridge-url", "http://127.0.0.1:1"], says: "needs --allow-writes" },
    { args: ["--evidence-file", "trail.jsonl"], says: "--evidence-file needs --allow-writes" },
    {
      args: ["--transport", "streamable-http"],
      token: "tooshort",
      says: "IRONFLOW_MCP_BEARER_TOKEN is shorter than 16 characters",
    },
  ])("refuses $args with one line on stderr and exit code 4", async ({ args, says, token = "" }) => {
    const child = spawn(process.execPath, [server.file, ...args], {
      env: { ...process.env, IRONFLOW_MCP_BEARER_TOKEN: token },
    });
    const out = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (out.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (out.stderr += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(4);
    expect(out.stdout).toBe("");
    expect(out.stderr).toContain(says);
    expect(out.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(out.stderr).not.toMatch(/pw@|tooshort/);
  });
});
