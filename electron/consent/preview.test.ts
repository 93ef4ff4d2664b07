import type { CallToolResult } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { TOOLS, toolByName } from "../../mcp/contract/tools.ts";
import { errorResult } from "../mcp-endpoint/tool-result.ts";
import { hasPreview, previewCall } from "./preview.ts";

const T = "2026-01-01T00:00:00Z";
type Answers = Readonly<
  Record<string, object | undefined | ((args: Record<string, unknown>) => object | undefined)>
>;

/** An engine whose tools answer this; undefined is `not_found`. Each answer has to fit the tool's own row. */
const engine =
  (answers: Answers) =>
  async (tool: string, args: Record<string, unknown>): Promise<CallToolResult> => {
    const row = toolByName(tool);
    if (row === undefined || !(tool in answers)) throw new Error(`nobody said what ${tool} answers`);
    row.input.parse(args);
    const said = answers[tool];
    const answer: unknown = typeof said === "function" ? said(args) : said;
    if (answer === undefined)
      return errorResult({ error: "there is none", code: "not_found", retryable: false });
    row.output?.parse(answer);
    return {
      content: [{ type: "text", text: JSON.stringify(answer) }],
      structuredContent: answer as Record<string, unknown>,
    };
  };

async function preview(tool: string, args: Record<string, unknown>, answers: Answers) {
  const row = toolByName(tool);
  if (row === undefined) throw new Error(`there is no row ${tool}`);
  row.input.parse(args);
  const result = await previewCall(row, args, engine(answers));
  if ("error" in result) throw new Error(result.error.error);
  const { title, consequence, effects, not_reached, target, watched } = result.preview;
  return {
    title,
    consequence,
    effects: effects.join(" "),
    notReached: not_reached.join(" "),
    target: Object.fromEntries(target.map(({ label, text }) => [label, text])),
    watched,
  };
}

async function failure(tool: string, args: Record<string, unknown>, answers: Answers) {
  const row = toolByName(tool);
  const result = row === undefined ? undefined : await previewCall(row, args, engine(answers));
  return result !== undefined && "error" in result ? result.error : undefined;
}

const run = (status: string, id = "run_1") => ({
  id,
  function_id: "fulfil-order",
  event_id: "evt_1",
  execution_mode: "durable",
  status,
  attempt: 1,
  max_attempts: 3,
  created_at: T,
  updated_at: T,
});
const step = (at: number, more: object = {}) => ({
  id: `run_1:s${at}`,
  run_id: "run_1",
  step_id: `s${at}`,
  name: `step ${at}`,
  step_type: "invoke",
  sequence: at,
  status: "completed",
  attempt: 1,
  ...more,
});
const steps = (...list: object[]) => ({ steps: list, count: list.length });

it("every tool that asks reads its target before anybody is asked", () => {
  const rows: readonly ToolRow[] = TOOLS;
  const asking = rows.filter(({ risk }) => risk === "destructive" || risk === "irreversible");
  expect(asking.length).toBeGreaterThanOrEqual(12);
  expect(asking.map(({ name }) => name).filter((name) => !hasPreview(name))).toEqual([]);
});

describe("a run", () => {
  const finished = {
    ironflow_get_run: run("failed"),
    ironflow_get_run_steps: steps(step(1), step(2, { error: { message: "boom" } })),
    ironbridge_get_run_attempts: {
      attempts: [{ attempt: 1, kind: "function", error: { message: "boom" }, failed_at: T }],
      count: 1,
    },
  };

  it("that is deleted takes its steps along, and is told how many", async () => {
    const said = await preview("ironflow_delete_run", { run_id: "run_1" }, finished);
    expect(said.consequence).toContain("2 steps");
    expect(said.target).toMatchObject({ Run: "run_1", Steps: "2" });
    expect(said.notReached).toContain("The event that started the run stays.");
  });

  it("that is redacted tells how many steps and attempts lose their errors", async () => {
    const said = await preview("ironflow_redact_run", { run_id: "run_1" }, finished);
    expect(said.effects).toContain("errors of its 2 steps are replaced (1 of them now has one)");
    expect(said.effects).toContain("errors of 1 recorded attempt ");
    expect(said.notReached).toContain("keeps its data, unless it was made for this run alone");
    expect(said.effects).toContain("inputs and outputs of its steps");
  });

  it.each(["ironflow_delete_run", "ironflow_redact_run"])(
    "that goes on is refused by %s before anybody is asked",
    async (tool) => {
      const error = await failure(
        tool,
        { run_id: "run_1" },
        { ...finished, ironflow_get_run: run("running") },
      );
      expect(error).toMatchObject({ code: "failed_precondition", retryable: false });
      expect(error?.error).toContain("Nothing was changed");
    },
  );

  it("one step of it is redacted by its row id; what stays is told", async () => {
    const said = await preview("ironflow_redact_step", { step_id: "run_1:s2" }, finished);
    expect(said.target).toMatchObject({ Step: "step 2", "Row id": "run_1:s2", Run: "run_1" });
    expect(said.notReached).toContain("Other steps of the run");
    const gone = await failure("ironflow_redact_step", { step_id: "run_1:s9" }, finished);
    expect(gone).toMatchObject({ code: "not_found" });
    const foreign = await preview("ironflow_redact_step", { step_id: "123" }, {});
    expect(foreign.consequence).toContain("The engine does not tell which step it is");
    expect(foreign.effects).toContain("At least 1 row");
  });
});

describe("an entity stream", () => {
  const event = {
    id: "evt_7",
    name: "order.paid",
    entity_version: 7,
    timestamp: T,
    data: {},
  };
  const page = { entity_id: "order-1", events: [event], count: 1, total_count: 7 };
  const stream = { entity_id: "order-1", entity_type: "order", version: 7, event_count: 7 };
  const answers = {
    ironflow_read_entity_stream: page,
    ironflow_list_entity_streams: {
      streams: [{ ...stream, entity_id: "order-10" }, stream],
      count: 2,
      total_count: 2,
    },
  };

  it("that is purged loses its events, counted; without purge they stay", async () => {
    const purged = await preview("ironflow_delete_stream", { entity_id: "order-1", purge: true }, answers);
    expect(purged.consequence).toContain("its 7 events are deleted");
    expect(purged.target).toMatchObject({ Entity: "order-1", Type: "order", Version: "7", Events: "7" });
    expect(purged.effects).toContain("does not say how many");
    const kept = await preview("ironflow_delete_stream", { entity_id: "order-1" }, answers);
    expect(kept.effects).toContain("Its 7 events stay readable");
    expect(kept.notReached).toContain("Read models");
  });

  it("is another one once an event came", async () => {
    const ask = (total: number) =>
      preview(
        "ironflow_delete_stream",
        { entity_id: "order-1" },
        { ...answers, ironflow_read_entity_stream: { ...page, total_count: total } },
      );
    expect((await ask(8)).watched).not.toEqual((await ask(7)).watched);
  });

  it("that is not there is asked about by nobody", async () => {
    const none = {
      ironflow_read_entity_stream: { entity_id: "x", events: [], count: 0, total_count: 0 },
      ironflow_list_entity_streams: { streams: [], count: 0, total_count: 0 },
    };
    expect(await failure("ironflow_delete_stream", { entity_id: "x" }, none)).toMatchObject({
      code: "not_found",
    });
  });

  it.each([
    [0, "It has started no run."],
    [1, "1 run that it started keeps its copy"],
    [3, "3 runs that it started keep their copy"],
  ])("an event with %d runs that is redacted does not reach them", async (total, words) => {
    const said = await preview(
      "ironflow_redact_event",
      { event_id: "evt_7" },
      {
        ironbridge_get_event: {
          id: "evt_7",
          name: "order.paid",
          timestamp: T,
          source: "api",
          data: {},
          entity_id: "order-1",
        },
        ironflow_list_runs: { runs: [], count: 0, total_count: total, limit: 1, offset: 0 },
      },
    );
    expect(said.notReached).toContain(words);
    expect(said.effects).toContain("Snapshots of its entity");
    expect(said.target).toMatchObject({ Event: "evt_7", Entity: "order-1" });
  });
});

describe("dead outbox rows", () => {
  const row = (id: string, eventId = "evt_1", topic = "orders") => ({
    id,
    event_id: eventId,
    topic,
    last_error: "no stream",
  });
  const args = { event_id: "evt_1", env: "env_default" };
  const list =
    (all: object[]) =>
    ({ offset, limit }: Record<string, unknown>) => {
      const items = all.slice(Number(offset), Number(offset) + Number(limit));
      return { items, count: items.length, limit: Number(limit), offset: Number(offset) };
    };

  it.each(["ironflow_outbox_dlq_discard", "ironflow_outbox_dlq_requeue"])(
    "%s counts every row that shares the event id, over all pages",
    async (tool) => {
      const others = Array.from({ length: 700 }, (_, at) => row(`o${at}`, `evt_o${at}`));
      const all = [row("a"), ...others, row("b", "evt_1", "entities"), row("c")];
      const said = await preview(tool, args, { ironflow_outbox_dlq_list: list(all) });
      expect(said.consequence).toContain("3 rows that share this event id");
      expect(said.target).toMatchObject({ Rows: "3", Topics: "orders, entities", "Last error": "no stream" });
      expect(said.notReached).toContain("Rows of other events stay");
      expect(said.watched).toEqual({ ids: ["a", "b", "c"], atLeast: false });
    },
  );

  it("are at least so many where the list has no end", async () => {
    const all = Array.from({ length: 3_000 }, (_, at) => row(`r${at}`));
    const said = await preview("ironflow_outbox_dlq_discard", args, { ironflow_outbox_dlq_list: list(all) });
    expect(said.consequence).toContain("At least 2000 rows that share this event id");
    expect(said.target["Rows"]).toBe("at least 2000");
  });

  it("of which there is none are asked about by nobody", async () => {
    const none = { ironflow_outbox_dlq_list: list([row("o", "evt_2")]) };
    expect(await failure("ironflow_outbox_dlq_discard", args, none)).toMatchObject({ code: "not_found" });
  });
});

describe("a stored value", () => {
  const entry = { bucket: "b", key: "k", revision: 4, encoding: "json", value: { b: 1, a: 2 }, bytes: 13 };

  it("that is overwritten is shown, with its revision", async () => {
    const args = { bucket: "b", key: "k", value: 1 };
    const said = await preview("ironflow_kv_put", args, { ironflow_kv_get: entry });
    expect(said).toMatchObject({
      title: "Overwrite a value",
      target: { Revision: "4", "Stored now": '{"a":2,"b":1}' },
      watched: { revision: 4 },
    });
    const fresh = await preview("ironflow_kv_put", args, { ironflow_kv_get: undefined });
    expect(fresh).toMatchObject({ title: "Write a new value", watched: { revision: null } });
  });

  it("that is a secret is named, never read, and told apart from a new one", async () => {
    const args = { name: "STRIPE_KEY", value: "sk-secret" };
    const known = { items: [{ name: "STRIPE_KEY", revision: 2, updated_at: T }, { name: "OTHER" }] };
    const said = await preview("ironflow_secret_set", args, { ironflow_list_secrets: known });
    expect(said).toMatchObject({ title: "Overwrite a secret", target: { Revision: "2" } });
    expect(JSON.stringify(said)).not.toContain("sk-secret");
    const fresh = await preview("ironflow_secret_set", args, { ironflow_list_secrets: { items: [] } });
    expect(fresh).toMatchObject({ title: "Store a new secret", watched: { revision: null } });
  });
});

it("a projection that is rebuilt tells how many events are replayed, by a trial that changes nothing", async () => {
  const trials: unknown[] = [];
  const said = await preview(
    "ironflow_rebuild_projection",
    { name: "totals" },
    {
      ironflow_projection_status: { name: "totals", status: "error", mode: "managed", lag: 12 },
      ironflow_rebuild_projection: (args) => {
        trials.push(args);
        return {
          name: "totals",
          dry_run: true,
          job: { status: "dry_run", events_processed: 0, total_events: 4_210 },
        };
      },
    },
  );
  expect(said.consequence).toContain("built anew from 4210 events");
  expect(said.target).toMatchObject({ Projection: "totals", Lag: "12", "To replay": "4210 events" });
  expect(trials).toEqual([{ name: "totals", dry_run: true }]);
});

it("a breaker that is reset tells how many runs go", async () => {
  const breaker = {
    key: "k",
    function_id: "f",
    endpoint: "http://e",
    state: "open",
    consecutive_fails: 5,
    waiting_runs: 3,
  };
  for (const [waiting_runs, words] of [
    [3, "3 runs that it holds back start."],
    [1, "1 run that it holds back starts."],
    [0, "It holds no run back now."],
  ] as const) {
    const said = await preview(
      "ironflow_circuit_breaker_reset",
      { key: "k" },
      { ironflow_circuit_breaker_list: { items: [{ ...breaker, waiting_runs }] } },
    );
    expect(said.effects).toContain(words);
  }
});
