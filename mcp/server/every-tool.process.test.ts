import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import type { McpSession } from "../client/session.ts";
import type { ToolRow } from "../contract/tool-row.ts";
import { TOOLS, toolByName, type ToolName } from "../contract/tools.ts";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { toStructured } from "../upstream/wire-json.ts";
import { startRealEngine, type RealEngine } from "../testing/real-engine.ts";
import { openToolSession } from "../testing/tool-session.ts";

/** Every read and write tool against the embedded engine, one after another: later rows find what earlier ones did. */
let server: Bundle;
let engine: RealEngine;
let session: McpSession;
let folder: string;
const FLAGS = ["--allow-writes", "--static-only"];
/** Ids that the engine made, by the name that the table uses. */
const ids = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ironbridge-every-tool-"));
  [server, engine] = await Promise.all([
    bundleEntry(new URL("./main.ts", import.meta.url)),
    startRealEngine(),
  ]);
  await engine.register("greet", "greeting.asked", ({ run_id, event }) => ({
    status: "completed",
    steps: [
      {
        id: `${run_id}:hello:0`,
        name: "hello",
        type: "invoke",
        status: "completed",
        started_at: new Date().toISOString(),
        output: event.data,
      },
    ],
    result: { greeted: true },
  }));
  await engine.register("fail", "failure.asked", () => ({
    status: "failed",
    steps: [],
    error: { message: "no", retryable: false },
  }));
  await engine.register("nap", "nap.asked", ({ run_id }) => ({
    status: "yielded",
    steps: [],
    yield: { type: "sleep", step_id: `${run_id}:nap:0`, until: "2099-01-01T00:00:00Z" },
  }));
  await post("/ironflow.v1.ProjectionService/RegisterProjection", {
    name: "greetings",
    events: ["greeting.asked"],
  });
  await post("/api/v1/kv/buckets", { name: "APP_shop", history: 3 });
  session = await openToolSession(server, engine, [...FLAGS, "--evidence-file", join(folder, "trail.jsonl")]);
});
afterAll(async () => {
  await session.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  await engine.stop();
  await server.remove();
});

async function post(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${engine.apiKey}`, "content-type": "application/json" };
  const answer = await fetch(engine.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
}

const id = (name: string): string => ids.get(name) ?? `no-${name}`;

type Case = {
  readonly tool: ToolName;
  readonly args: () => Record<string, unknown>;
  /** Part of the answer; a text is the code of the error that is expected. */
  readonly answers: () => object | string;
  /** Fields of the answer to remember, by the name that later rows use. */
  readonly keeps?: (answer: Record<string, unknown>) => Record<string, unknown>;
};

const row = (
  tool: ToolName,
  args: Case["args"] | Record<string, unknown>,
  answers: object | string | (() => object),
  keeps?: Case["keeps"],
): Case => ({
  tool,
  args: typeof args === "function" ? args : () => args,
  answers: typeof answers === "function" ? (answers as () => object) : () => answers,
  ...(keeps === undefined ? {} : { keeps }),
});

const list = (answer: Record<string, unknown>, field: string): Record<string, unknown>[] =>
  answer[field] as Record<string, unknown>[];
const env = "env_default";
const BIG = '{"n":9007199254740993}';

const CASES: readonly Case[] = [
  row("ironflow_server_info", {}, { status: "healthy", authorized: true }),
  row("ironflow_get_docs", { topic: "openapi" }, {}),
  row("ironflow_list_projects", {}, { items: [{ name: "default" }] }),
  row("ironflow_list_environments", {}, { items: [{ id: env }] }),
  row("ironflow_list_workers", {}, { workers: [], count: 0 }),
  row("ironflow_list_functions", { limit: 2, offset: 1 }, { count: 2, total_count: 3 }),
  row(
    "ironflow_get_function",
    { function_id: "greet" },
    { id: "greet", triggers: [{ event: "greeting.asked" }] },
  ),
  row("ironflow_get_function", { function_id: "none" }, "not_found"),
  row("ironflow_explain_event_match", { event: "greeting.asked", data: "{}" }, { stored: false, count: 3 }),
  row(
    "ironflow_explain_event_match",
    { event: "greeting.asked", data: "{}", only_matched: true },
    { count: 1, functions: [{ function_id: "greet", decision: "run" }], waiting: [], waiting_total: 0 },
  ),
  row(
    "ironflow_emit_event",
    { event: "greeting.asked", data_json: BIG, idempotency_key: "k" },
    { run_ids: [expect.stringMatching(/^run_/)] },
    (answer) => ({ event: answer["event_id"], run: (answer["run_ids"] as string[])[0] }),
  ),
  row("ironflow_emit_event", { event: "greeting.asked", data: {}, idempotency_key: "k" }, () => ({
    event_id: id("event"),
    run_ids: [id("run")],
  })),
  row("ironflow_wait_for_run", () => ({ run_id: id("run"), timeout_seconds: 20 }), {
    status: "completed",
    timed_out: false,
    input: { n: "9007199254740993" },
  }),
  row("ironflow_get_run", () => ({ run_id: id("run") }), { output: { greeted: true } }),
  row(
    "ironflow_get_run_steps",
    () => ({ run_id: id("run") }),
    { count: 1, steps: [{ name: "hello" }] },
    (answer) => ({
      step: list(answer, "steps")[0]?.["id"],
    }),
  ),
  row("ironflow_list_runs", () => ({ event_id: id("event"), status: "completed,failed" }), {
    total_count: 1,
  }),
  row("ironflow_list_runs", { search: "run\\_%", limit: 1 }, { count: 1 }),
  row("ironflow_list_runs", { since: "2099-01-01T00:00:00Z" }, { count: 0 }),
  row("ironflow_list_events", { names: "greeting.asked", limit: 200 }, { count: 1, has_prev: false }),
  row(
    "ironflow_explain_event_match",
    () => ({ event_id: id("event") }),
    () => ({
      stored: true,
      functions: expect.arrayContaining([
        expect.objectContaining({ function_id: "greet", run_id: id("run") }),
      ]),
    }),
  ),
  row("ironflow_overview", {}, { function_count: 3 }),
  row("ironflow_invoke_function", { function_id: "fail" }, {}, (answer) => ({ failed: answer["run_id"] })),
  row("ironflow_wait_for_run", () => ({ run_id: id("failed") }), {
    status: "failed",
    error: { message: "no" },
  }),
  row(
    "ironflow_resume_run",
    () => ({ run_id: id("failed") }),
    () => ({ id: id("failed") }),
  ),
  row("ironflow_resume_run", () => ({ run_id: id("failed") }), "already_exists"),
  row("ironflow_wait_for_run", () => ({ run_id: id("failed") }), { status: "failed" }),
  row("ironflow_invoke_function", { function_id: "nap" }, {}, (answer) => ({ nap: answer["run_id"] })),
  row("ironflow_wait_for_run", () => ({ run_id: id("nap"), timeout_seconds: 1 }), {
    timed_out: true,
    waiting_for: { step: "nap" },
  }),
  row("ironflow_get_run", () => ({ run_id: id("nap") }), {
    status: "waiting",
    waiting_for: { step: "nap", step_type: "sleep", until: "2099-01-01T00:00:00.000Z" },
  }),
  row("ironflow_delete_run", () => ({ run_id: id("nap"), confirm: true }), "failed_precondition"),
  row("ironflow_redact_run", () => ({ run_id: id("nap"), confirm: true }), "failed_precondition"),
  row("ironflow_cancel_run", () => ({ run_id: id("nap"), reason: "test" }), { status: "cancelled" }),
  row("ironflow_delete_run", () => ({ run_id: id("nap") }), "failed_precondition"),
  row("ironflow_delete_run", () => ({ run_id: id("nap"), confirm: true }), { deleted: true }),
  row("ironflow_get_run", () => ({ run_id: id("nap") }), "not_found"),
  row(
    "ironflow_append_entity_event",
    { entity_id: "o-1", entity_type: "order", event: "order.made", data: [1], expected_version: 0 },
    { entity_version: 1 },
  ),
  row(
    "ironflow_append_entity_event",
    { entity_id: "o-1", entity_type: "order", event: "order.made", expected_version: 0 },
    "aborted",
  ),
  row(
    "ironflow_append_entity_event",
    { entity_id: "o-1", entity_type: "order", event: "order.sent", data_json: BIG },
    { entity_version: 2 },
  ),
  row(
    "ironflow_list_entity_streams",
    { entity_type: "order" },
    { total_count: 1, streams: [{ entity_id: "o-1" }] },
  ),
  row(
    "ironflow_read_entity_stream",
    { entity_id: "o-1", direction: "backward", limit: 1 },
    {
      count: 1,
      total_count: 2,
      events: [{ name: "order.sent", entity_version: 2, data: { n: "9007199254740993" } }],
    },
  ),
  row(
    "ironflow_read_entity_stream",
    { entity_id: "o-1", from_version: 1 },
    {
      events: [{ data: [1] }, { entity_version: 2 }],
    },
  ),
  row(
    "ironflow_delete_stream",
    { entity_id: "o-1", purge: true, confirm: true },
    { deleted: true, purged: true },
  ),
  row(
    "ironflow_append_entity_event",
    { entity_id: "o-1", entity_type: "order", event: "order.made" },
    "failed_precondition",
  ),
  row(
    "ironflow_list_projections",
    {},
    { total_count: 1, projections: [{ name: "greetings", mode: "managed" }] },
  ),
  row("ironflow_projection_status", { name: "greetings" }, { status: "active" }),
  row("ironflow_projection_status", { name: "none" }, "not_found"),
  row("ironflow_rebuild_projection_status", { name: "greetings" }, { name: "greetings", job: null }),
  row(
    "ironflow_rebuild_projection",
    { name: "greetings", dry_run: true },
    { dry_run: true, job: { total_events: 1 } },
  ),
  row("ironflow_rebuild_projection_status", { name: "greetings" }, { job: null }),
  row("ironflow_rebuild_projection", { name: "greetings" }, { dry_run: false }),
  row("ironflow_rebuild_projection_status", { name: "greetings" }, { job: { projection_name: "greetings" } }),
  row(
    "ironflow_sql_query",
    { query: "SELECT id FROM functions ORDER BY id" },
    {
      columns: ["id"],
      rows: [["fail"], ["greet"], ["nap"]],
      count: 3,
    },
  ),
  row(
    "ironflow_sql_query",
    { query: "SELECT 1 AS n, NULL AS nil, 'x' AS word, 9007199254740993 AS large" },
    {
      columns: ["n", "nil", "word", "large"],
      rows: [[1, null, "x", "9007199254740993"]],
    },
  ),
  row(
    "ironflow_sql_query",
    { query: "SELECT id FROM functions", max_rows: 2 },
    { count: 2, truncated: true },
  ),
  row("ironflow_sql_query", { query: "DELETE FROM runs" }, "invalid_argument"),
  row("ironflow_secret_set", { name: "KEY", value: "sk_hidden_1" }, { created: true }),
  row("ironflow_secret_set", { name: "KEY", value: "sk_hidden_2", env }, { created: false }),
  row("ironflow_list_secrets", {}, { items: [{ name: "KEY" }] }),
  row("ironflow_list_secrets", { env }, { items: [{ name: "KEY" }] }),
  row("ironflow_kv_list_buckets", {}, { count: 1, buckets: [{ name: "APP_shop" }] }),
  row(
    "ironflow_kv_put",
    { bucket: "APP_shop", key: "tax/de", value_json: BIG, create_only: true },
    {},
    (answer) => ({
      revision: answer["revision"],
    }),
  ),
  row("ironflow_kv_put", { bucket: "APP_shop", key: "tax/de", value: 1, create_only: true }, "aborted"),
  row("ironflow_kv_put", { bucket: "APP_shop", key: "tax/de", value: 1, expected_revision: 99 }, "aborted"),
  row(
    "ironflow_kv_get",
    { bucket: "APP_shop", key: "tax/de" },
    { encoding: "json", value: { n: "9007199254740993" } },
  ),
  row("ironflow_kv_put", { bucket: "APP_shop", key: "note", text: "ä, not JSON" }, {}),
  row("ironflow_kv_get", { bucket: "APP_shop", key: "note" }, { encoding: "text", value: "ä, not JSON" }),
  row("ironflow_kv_get", { bucket: "APP_shop", key: "none" }, "not_found"),
  row("ironflow_kv_list_keys", { bucket: "APP_shop" }, { count: 2 }),
  row("ironflow_circuit_breaker_list", {}, { items: [] }),
  row("ironflow_circuit_breaker_reset", { key: "none" }, "not_found"),
  row("ironflow_dead_letter_list", { env, source: "routing" }, { items: [], total: 0, limit: 50, offset: 0 }),
  // A delivery is dead after ten tries over many minutes: outbox.process.test.ts has such rows.
  row("ironflow_outbox_dlq_list", { env, limit: 5 }, { items: [], count: 0, limit: 5, offset: 0 }),
  row("ironflow_outbox_dlq_list", { env: "env_other" }, "permission_denied"),
  row("ironflow_outbox_dlq_requeue", { env, event_id: "evt_none" }, "not_found"),
  row("ironflow_outbox_dlq_discard", { env, event_id: "evt_none", confirm: true }, "not_found"),
  row("ironflow_redact_step", () => ({ step_id: id("step"), confirm: true }), { redacted: true }),
  row("ironflow_get_run_steps", () => ({ run_id: id("run") }), { steps: [{ output: { $redacted: true } }] }),
  row("ironflow_redact_run", () => ({ run_id: id("run"), confirm: true }), { redacted: true }),
  row("ironflow_get_run", () => ({ run_id: id("run") }), { output: { $redacted: true } }),
  row("ironflow_redact_event", () => ({ event_id: id("event"), confirm: true }), { redacted: true }),
  row("ironflow_list_events", { names: "greeting.asked" }, { events: [{ data: { $redacted: true } }] }),
];

describe("every tool on the embedded engine", () => {
  it.each(CASES.map((one): [string, Case] => [`${one.tool} ${JSON.stringify(one.args())}`, one]))(
    "%s",
    async (_, one) => {
      const result = await session.callTool(one.tool, one.args());
      const texts = (result.content as { text: string }[]).map(({ text }) => text);
      expect(texts.join()).not.toMatch(/sk_hidden/);
      const expected = one.answers();
      expect(seen(one.tool, result, texts)).toMatchObject(
        typeof expected === "string"
          ? { isError: true, error: { code: expected, retryable: false } }
          : { isError: false, answer: expected },
      );
      const kept = one.keeps?.((result.structuredContent ?? {}) as Record<string, unknown>) ?? {};
      for (const [name, value] of Object.entries(kept)) ids.set(name, String(value));
    },
  );

  it("waits for code that is registered anew, and knows what the last test ran", async () => {
    const emitted = await session.callTool("ironflow_emit_event", { event: "greeting.asked", data: {} });
    expect(emitted.isError).not.toBe(true);
    const waiting = session.callTool("ironflow_await_reload", {});
    await engine.register("greet", "greeting.wanted", () => ({ status: "completed", steps: [] }));
    expect((await waiting).structuredContent).toMatchObject({
      reloaded: true,
      changed: [{ kind: "function", id: "greet" }],
      baseline: { what: "ironflow_emit_event greeting.asked" },
    });
  });

  it("leaves none out", () => {
    const rows: readonly ToolRow[] = TOOLS;
    const wanted = rows.filter(
      ({ mode, ...one }) => one.for !== "app" && (mode === "read" || mode === "write"),
    );
    expect(wanted).toHaveLength(27 + 16);
    const left = wanted.map(({ name }) => name).filter((name) => !CASES.some(({ tool }) => tool === name));
    expect(left).toEqual([]);
  });
});

/** The result for comparison: parsed by the tool's own schema, and equal to its text. */
function seen(
  tool: ToolName,
  result: { isError?: boolean | undefined; structuredContent?: unknown },
  texts: string[],
): object {
  if (result.isError === true) return { isError: true, error: JSON.parse(texts[0] ?? "") as object };
  const row = toolByName(tool);
  if (row === undefined || row.output === null) return { isError: false, answer: {}, texts };
  const text = parseExactJson(texts[0] ?? "");
  const whole = toStructured((row.bareArray === true ? { items: text } : text) as object);
  return {
    isError: false,
    answer: row.output.parse(result.structuredContent),
    isSame: sameJson(whole, result),
  };
}

function sameJson(whole: object, { structuredContent }: { structuredContent?: unknown }): true {
  if (JSON.stringify(whole) === JSON.stringify(structuredContent)) return true;
  throw new Error(`the text differs from structuredContent: ${JSON.stringify(whole)}`);
}
