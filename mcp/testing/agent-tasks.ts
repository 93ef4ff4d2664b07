import type { ToolArguments, ToolName, ToolOutput } from "../contract/tools.ts";
import type { DeadEvent } from "./dead-deliveries.ts";

/** What a scripted agent has: the tools, and nothing else. */
export type Agent = {
  /** @throws Error with the error object's text when the tool answers one */
  call<Name extends ToolName>(name: Name, args: ToolArguments<Name>): Promise<ToolOutput<Name>>;
  /** The error object of a call that is expected to be refused. */
  refused(name: ToolName, args: Record<string, unknown>): Promise<{ code: string; reason?: string }>;
};

/** One task as an operator puts it, and how an agent that has read the tools' texts goes about it. */
export type AgentTask = {
  readonly task: string;
  /** The tools of its calls, in order; the test compares with the calls that were made. */
  readonly calls: readonly ToolName[];
  /** The answer, which the test compares with `expected`. */
  readonly solve: (agent: Agent) => Promise<unknown>;
  readonly expected: unknown;
};

/** The first of a list; an agent that finds nothing has failed its task. */
function first<T>(rows: readonly T[], what: string): T {
  const [row] = rows;
  if (row === undefined) throw new Error(`found no ${what}`);
  return row;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;

/** Twelve and more tasks in the demo's order shop, in this order: some mend what the next ones find mended. */
export const AGENT_TASKS: readonly AgentTask[] = [
  {
    task: "Are these tools on a healthy engine, and does anything need a look?",
    calls: ["ironflow_server_info", "ironflow_overview"],
    solve: async (agent) => {
      const { status, authorized } = await agent.call("ironflow_server_info", {});
      const { paused_runs, failed_runs_24h } = await agent.call("ironflow_overview", {});
      return { status, authorized, needsALook: paused_runs + failed_runs_24h > 0 };
    },
    expected: { status: "healthy", authorized: true, needsALook: true },
  },
  {
    task: "Why was no shipping label printed for order-1002?",
    calls: ["ironflow_list_runs", "ironflow_get_run", "ironflow_get_run_steps"],
    solve: async (agent) => {
      const page = await agent.call("ironflow_list_runs", {
        function_id: "print-shipping-label",
        status: "failed,paused",
      });
      const run = await agent.call("ironflow_get_run", { run_id: first(page.runs, "failed run").id });
      const { steps } = await agent.call("ironflow_get_run_steps", { run_id: run.id });
      const failed = first(
        steps.filter(({ status }) => status === "failed"),
        "failed step",
      );
      return { order: field(run.input, "id"), step: failed.name, why: failed.error?.message };
    },
    expected: {
      order: "order-1002",
      step: "render-label",
      why: "order-1002: the address has no postcode, the label cannot be sorted",
    },
  },
  {
    task: "A pickup was not booked. Find out why, mend it with what the shop offers, and let the run go on.",
    calls: [
      "ironflow_list_runs",
      "ironflow_get_run_steps",
      "ironflow_list_functions",
      "ironflow_emit_event",
      "ironflow_wait_for_run",
      "ironflow_resume_run",
      "ironflow_wait_for_run",
    ],
    solve: async (agent) => {
      const page = await agent.call("ironflow_list_runs", { status: "paused", function_id: "book-carrier" });
      const run = first(page.runs, "paused run");
      const { steps } = await agent.call("ironflow_get_run_steps", { run_id: run.id });
      const why = steps.find(({ status }) => status === "failed")?.error?.message ?? "";
      const { functions } = await agent.call("ironflow_list_functions", {});
      const mender = first(
        functions.filter(({ description }) => description?.includes("carrier's power is back")),
        "function that mends the carrier",
      );
      const event = first(mender.triggers, "trigger").event ?? "";
      const { run_ids } = await agent.call("ironflow_emit_event", { event, data: {} });
      await agent.call("ironflow_wait_for_run", { run_id: first(run_ids, "run that mends") });
      await agent.call("ironflow_resume_run", { run_id: run.id });
      const done = await agent.call("ironflow_wait_for_run", { run_id: run.id });
      return { becauseOfTheDepot: why.includes("the depot has no power"), status: done.status };
    },
    expected: { becauseOfTheDepot: true, status: "completed" },
  },
  {
    task: "Picking for order-1003 does not move, without any error on it. What holds it? Mend that and let it go.",
    calls: [
      "ironflow_list_runs",
      "ironflow_circuit_breaker_list",
      "ironflow_emit_event",
      "ironflow_wait_for_run",
      "ironflow_circuit_breaker_reset",
      "ironflow_wait_for_run",
    ],
    solve: async (agent) => {
      const page = await agent.call("ironflow_list_runs", {
        function_id: "pick-in-warehouse",
        status: "waiting,running,waiting_for_capacity",
      });
      const run = first(page.runs, "run that waits");
      const { items } = await agent.call("ironflow_circuit_breaker_list", {});
      const breaker = first(
        items.filter(({ function_id }) => function_id === run.function_id),
        "breaker",
      );
      const { run_ids } = await agent.call("ironflow_emit_event", { event: "warehouse.restored", data: {} });
      await agent.call("ironflow_wait_for_run", { run_id: first(run_ids, "run that mends") });
      const reset = await agent.call("ironflow_circuit_breaker_reset", { key: breaker.key });
      const done = await agent.call("ironflow_wait_for_run", { run_id: run.id });
      return { reset: reset.state, status: done.status };
    },
    expected: { reset: "closed", status: "completed" },
  },
  {
    task: "Customer charles registered and was not welcomed. What became of that event?",
    calls: [
      "ironflow_list_events",
      "ironflow_explain_event_match",
      "ironflow_list_environments",
      "ironflow_dead_letter_list",
    ],
    solve: async (agent) => {
      const { events } = await agent.call("ironflow_list_events", { names: "customer.registered" });
      const event = first(
        events.filter(({ data }) => field(data, "customer") === "charles@example.com"),
        "event",
      );
      const { functions } = await agent.call("ironflow_explain_event_match", { event_id: event.id });
      const { items: environments } = await agent.call("ironflow_list_environments", {});
      const { items } = await agent.call("ironflow_dead_letter_list", {
        env: first(environments, "environment").id,
        source: "routing",
      });
      return {
        decision: functions.find(({ function_id }) => function_id === "welcome-loyal-customer")?.decision,
        started: functions.filter(({ decision }) => decision === "run").length,
        isDeadLetter: items.some(({ event_id }) => event_id === event.id),
      };
    },
    expected: { decision: "invalid_expression", started: 0, isDeadLetter: true },
  },
  {
    task: "Which functions would an order.placed event start? Do not send one.",
    calls: ["ironflow_explain_event_match", "ironflow_list_events"],
    solve: async (agent) => {
      const { functions } = await agent.call("ironflow_explain_event_match", {
        event: "order.placed",
        data: '{"id":"order-2000"}',
      });
      const { events } = await agent.call("ironflow_list_events", { names: "order.placed" });
      return {
        would: functions.filter(({ decision }) => decision === "run").map(({ function_id }) => function_id),
        sent: events.some(({ data }) => field(data, "id") === "order-2000"),
      };
    },
    expected: { would: ["fulfil-order"], sent: false },
  },
  {
    task: "Who has not paid yet? The money of that order has just come in: book it.",
    calls: [
      "ironflow_list_runs",
      "ironflow_get_run_steps",
      "ironflow_get_run",
      "ironflow_emit_event",
      "ironflow_wait_for_run",
    ],
    solve: async (agent) => {
      const page = await agent.call("ironflow_list_runs", {
        function_id: "collect-payment",
        status: "waiting",
      });
      const { id: run_id } = first(page.runs, "run that waits");
      const { steps } = await agent.call("ironflow_get_run_steps", { run_id });
      const event = steps.find(({ status }) => status === "waiting")?.wait_event_name ?? "";
      const run = await agent.call("ironflow_get_run", { run_id });
      const orderId = field(run.input, "orderId");
      await agent.call("ironflow_emit_event", { event, data: { orderId, cents: 4_200 } });
      const done = await agent.call("ironflow_wait_for_run", { run_id });
      return { orderId, customer: field(run.input, "customer"), status: done.status };
    },
    expected: { orderId: "order-1005", customer: "alan@example.com", status: "completed" },
  },
  {
    task: "Follow the event feed: what came in since you last looked?",
    calls: ["ironflow_list_events", "ironflow_emit_event", "ironflow_list_events"],
    solve: async (agent) => {
      const before = await agent.call("ironflow_list_events", { limit: 1 });
      const newest = first(before.events, "event");
      await agent.call("ironflow_emit_event", { event: "stock.counted", data: { shelf: "A-3" } });
      const after = await agent.call("ironflow_list_events", { since: newest.timestamp });
      return after.events.filter(({ id }) => id !== newest.id).map(({ name }) => name);
    },
    expected: ["stock.counted"],
  },
  {
    task: "Start a review request for order-0997, then change your mind before it is sent.",
    calls: ["ironflow_invoke_function", "ironflow_cancel_run", "ironflow_wait_for_run"],
    solve: async (agent) => {
      const { run_id } = await agent.call("ironflow_invoke_function", {
        function_id: "ask-for-review",
        data: { orderId: "order-0997" },
        idempotency_key: "review of order-0997",
      });
      await agent.call("ironflow_cancel_run", { run_id, reason: "the customer has answered by telephone" });
      return (await agent.call("ironflow_wait_for_run", { run_id })).status;
    },
    expected: "cancelled",
  },
  {
    task: "How many runs are there per function and state?",
    calls: ["ironflow_sql_query"],
    solve: async (agent) => {
      const { columns, rows } = await agent.call("ironflow_sql_query", {
        query:
          "SELECT function_id, status, COUNT(*) AS n FROM runs GROUP BY function_id, status ORDER BY 1, 2",
      });
      return { columns, labels: rows.filter(([id]) => id === "print-shipping-label").length };
    },
    expected: { columns: ["function_id", "status", "n"], labels: 2 },
  },
  {
    task: "Note in the stream of order-3000 that it was placed, and then packed, without writing over anybody.",
    calls: [
      "ironflow_append_entity_event",
      "ironflow_append_entity_event",
      "ironflow_read_entity_stream",
      "ironflow_append_entity_event",
    ],
    solve: async (agent) => {
      const order = { entity_id: "order-3000", entity_type: "order" };
      await agent.call("ironflow_append_entity_event", {
        ...order,
        event: "order.noted",
        data: {},
        expected_version: 0,
      });
      const late = await agent.refused("ironflow_append_entity_event", {
        ...order,
        event: "order.wrapped",
        expected_version: 0,
      });
      const { events } = await agent.call("ironflow_read_entity_stream", { entity_id: "order-3000" });
      const { entity_version } = await agent.call("ironflow_append_entity_event", {
        ...order,
        event: "order.wrapped",
        data: {},
        expected_version: Number(events.at(-1)?.entity_version),
      });
      return { late: late.code, entity_version };
    },
    expected: { late: "aborted", entity_version: 2 },
  },
  {
    task: "Store the new key of the gateway as a secret, and check that it is there.",
    calls: ["ironflow_secret_set", "ironflow_list_secrets"],
    solve: async (agent) => {
      const set = await agent.call("ironflow_secret_set", {
        name: "GATEWAY_KEY",
        value: "gk_only_for_the_test",
      });
      const { items } = await agent.call("ironflow_list_secrets", {});
      return { created: set.created, names: items.map(({ name }) => name) };
    },
    expected: { created: true, names: ["GATEWAY_KEY"] },
  },
  {
    task: "Customer ada wants her data gone from order-1001: her person has agreed.",
    calls: [
      "ironflow_list_events",
      "ironflow_list_runs",
      "ironflow_redact_run",
      "ironflow_redact_event",
      "ironflow_get_run",
    ],
    solve: async (agent) => {
      const { events } = await agent.call("ironflow_list_events", { names: "order.placed" });
      const event = first(
        events.filter(({ data }) => field(data, "id") === "order-1001"),
        "event",
      );
      const { runs } = await agent.call("ironflow_list_runs", { event_id: event.id });
      const { id: run_id } = first(runs, "run");
      await agent.call("ironflow_redact_run", { run_id, confirm: true });
      await agent.call("ironflow_redact_event", { event_id: event.id, confirm: true });
      const { input } = await agent.call("ironflow_get_run", { run_id });
      return field(input, "$redacted");
    },
    expected: true,
  },
  {
    task: "The failed label run is of no use any more: delete it, after the person has agreed.",
    calls: ["ironflow_list_runs", "ironflow_delete_run", "ironflow_delete_run", "ironflow_get_run"],
    solve: async (agent) => {
      const { runs } = await agent.call("ironflow_list_runs", {
        function_id: "print-shipping-label",
        status: "failed",
      });
      const { id: run_id } = first(runs, "failed run");
      const unasked = await agent.refused("ironflow_delete_run", { run_id });
      await agent.call("ironflow_delete_run", { run_id, confirm: true });
      const gone = await agent.refused("ironflow_get_run", { run_id });
      return { unasked: unasked.reason, gone: gone.code };
    },
    expected: { unasked: "confirmation_required", gone: "not_found" },
  },
  {
    task: "order-0996 was placed through its stream, and nothing was started. What became of that? Have it delivered.",
    calls: [
      "ironflow_read_entity_stream",
      "ironflow_list_runs",
      "ironflow_list_environments",
      "ironflow_outbox_dlq_list",
      "ironflow_outbox_dlq_requeue",
      "ironflow_outbox_dlq_list",
    ],
    solve: async (agent) => {
      const { events } = await agent.call("ironflow_read_entity_stream", { entity_id: "order-0996" });
      const { id: event_id } = first(events, "event");
      const { total_count } = await agent.call("ironflow_list_runs", { event_id });
      const { items: environments } = await agent.call("ironflow_list_environments", {});
      const env = first(environments, "environment").id;
      const dead = async () =>
        (await agent.call("ironflow_outbox_dlq_list", { env })).items.filter(
          (row) => row.event_id === event_id,
        );
      const rows = await dead();
      const { result, rows: requeued } = await agent.call("ironflow_outbox_dlq_requeue", { event_id, env });
      return {
        runs: total_count,
        why: rows.find(({ kind }) => kind === "event")?.last_error,
        result,
        requeued,
        left: (await dead()).length,
      };
    },
    expected: {
      runs: 0,
      why: "database or disk is full",
      result: "requeued",
      requeued: 2,
      left: 0,
    },
  },
  {
    task: "The deliveries that were given up for order-test are of no use: throw them away, the person has agreed.",
    calls: [
      "ironflow_list_environments",
      "ironflow_outbox_dlq_list",
      "ironflow_outbox_dlq_discard",
      "ironflow_outbox_dlq_discard",
      "ironflow_outbox_dlq_list",
    ],
    solve: async (agent) => {
      const { items: environments } = await agent.call("ironflow_list_environments", {});
      const env = first(environments, "environment").id;
      const { items } = await agent.call("ironflow_outbox_dlq_list", { env });
      const { event_id } = first(
        items.filter(({ entity_id }) => entity_id === "order-test"),
        "dead delivery",
      );
      const unasked = await agent.refused("ironflow_outbox_dlq_discard", { event_id, env });
      const { rows } = await agent.call("ironflow_outbox_dlq_discard", { event_id, env, confirm: true });
      const left = await agent.call("ironflow_outbox_dlq_list", { env });
      return { unasked: unasked.reason, rows, left: left.count };
    },
    expected: { unasked: "confirmation_required", rows: 2, left: 0 },
  },
];

/** Orders whose deliveries were given up before the shop's day began. */
export const GIVEN_UP: readonly DeadEvent[] = ["order-0996", "order-test"].map((id) => ({
  entityId: id,
  name: "order.placed",
  functionId: "fulfil-order",
  data: {
    id,
    customer: "joan@example.com",
    items: [{ sku: "notebook", quantity: 1 }],
    totalCents: 1_200,
    address: { name: "joan", street: "1 Mill Lane", city: "Leeds", postcode: "LS1 4AP" },
  },
}));
