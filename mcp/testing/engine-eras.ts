import type { StubRoute } from "./stub-engine.ts";

/** One run and its steps as each era writes them, so that a test can ask for the same answer from both. */
const CONNECT_RUN = {
  id: "run_1",
  functionId: "ship-order",
  eventId: "evt_1",
  eventName: "order.placed",
  executionMode: "EXECUTION_MODE_PUSH",
  status: "RUN_STATUS_FAILED",
  attempt: 3,
  maxAttempts: 3,
  input: { order: 7 },
  error: { message: "no such address", code: "STEP_FAILED", stack: "at ship (ship.ts:3)" },
  createdAt: "2026-11-30T09:00:00Z",
  updatedAt: "2026-11-30T09:00:05Z",
  endedAt: "2026-11-30T09:00:05Z",
};

const REST_RUN = {
  id: "run_1",
  function_id: "ship-order",
  event_id: "evt_1",
  event_name: "order.placed",
  execution_mode: "push",
  status: "failed",
  attempt: 3,
  max_attempts: 3,
  input: { order: 7 },
  error: { message: "no such address", code: "STEP_FAILED", stack: "at ship (ship.ts:3)" },
  created_at: "2026-11-30T09:00:00Z",
  updated_at: "2026-11-30T09:00:05Z",
  ended_at: "2026-11-30T09:00:05Z",
};

const CONNECT_STEP = {
  id: "step_1",
  runId: "run_1",
  stepId: "run_1:charge:0",
  stepType: "STEP_TYPE_INVOKE",
  status: "STEP_STATUS_COMPLETED",
  sequence: 1,
  attempt: 1,
  outputValue: "paid",
};

const REST_STEP = {
  id: "step_1",
  run_id: "run_1",
  step_id: "run_1:charge:0",
  step_type: "invoke",
  status: "completed",
  sequence: 1,
  attempt: 1,
  output: "paid",
};

const CONNECT_FUNCTION = {
  id: "ship-order",
  name: "Ship an order",
  triggers: [{ event: "order.placed" }],
  retry: { maxAttempts: 3, initialDelayMs: 1000, backoffFactor: 2 },
  timeoutMs: 60_000,
  preferredMode: "EXECUTION_MODE_PUSH",
  endpointUrl: "http://127.0.0.1:1/ship",
  status: "FUNCTION_STATUS_ACTIVE",
  version: 4,
};

const REST_FUNCTION = {
  id: "ship-order",
  slug: "ship-order",
  name: "Ship an order",
  triggers: [{ event: "order.placed" }],
  retry_attempts: 3,
  retry_delay_ms: 1000,
  retry_backoff: 2,
  timeout_ms: 60_000,
  execution_mode: "push",
  endpoint_url: "http://127.0.0.1:1/ship",
  status: "active",
  version: 4,
};

const EVENT = {
  id: "evt_1",
  name: "order.placed",
  timestamp: "2026-11-30T09:00:00Z",
  data: { order: 7 },
  source: "api",
  processed: true,
  created_at: "2026-11-30T09:00:00Z",
};

const BREAKER = {
  key: "ship-order|http://127.0.0.1:1/ship",
  function_id: "ship-order",
  endpoint: "http://127.0.0.1:1/ship",
  state: "open",
  consecutive_fails: 5,
  last_failure: "2026-11-30T09:00:00Z",
  last_failure_reason: "HTTP 503",
};

const DEAD_LETTER = {
  id: "dl_1",
  environment_id: "env_default",
  source: "routing",
  event_id: "evt_2",
  event_name: "order.placed",
  function_id: null,
  run_id: null,
  error: "no such key: total",
  payload: "e30=",
  created_at: "2026-11-30T09:00:00Z",
};

const CONNECT_STREAM = {
  entityId: "order-7",
  entityType: "order",
  version: "2",
  eventCount: "2",
  createdAt: "2026-11-30T09:00:00Z",
  updatedAt: "2026-11-30T09:00:05Z",
};

const REST_STREAM = {
  entity_id: "order-7",
  entity_type: "order",
  version: 2,
  event_count: 2,
  created_at: "2026-11-30T09:00:00Z",
  updated_at: "2026-11-30T09:00:05Z",
};

const CONNECT_STREAM_EVENT = {
  id: "evt_7",
  name: "order.placed",
  dataValue: ["a", 1],
  entityVersion: "1",
  version: 1,
  timestamp: "2026-11-30T09:00:00Z",
  source: "api",
};

const REST_STREAM_EVENT = {
  id: "evt_7",
  name: "order.placed",
  data: ["a", 1],
  entity_version: 1,
  version: 1,
  timestamp: "2026-11-30T09:00:00Z",
  source: "api",
};

const CONNECT_PROJECTION = {
  name: "orders",
  mode: "managed",
  status: "active",
  events: ["order.placed"],
  version: 3,
  lastEventSeq: "41",
  createdAt: "2026-11-30T09:00:00Z",
  updatedAt: "2026-11-30T09:00:05Z",
};

const REST_PROJECTION = {
  name: "orders",
  mode: "managed",
  status: "active",
  events: ["order.placed"],
  version: 3,
  last_event_seq: 41,
  created_at: "2026-11-30T09:00:00Z",
  updated_at: "2026-11-30T09:00:05Z",
};

const CONNECT_JOB = {
  jobId: "job_1",
  projectionName: "orders",
  status: "running",
  eventsProcessed: "10",
  totalEvents: "41",
  progress: 24.5,
  startedAt: "2026-11-30T09:00:00Z",
  estimatedRemaining: "1.5s",
};

const REST_JOB = {
  job_id: "job_1",
  projection_name: "orders",
  status: "running",
  events_processed: 10,
  total_events: 41,
  progress: 24.5,
  started_at: "2026-11-30T09:00:00Z",
  estimated_remaining: "1.5s",
};

const OUTBOX_ROW = {
  id: "ob_1",
  event_id: "evt_3",
  environment_id: "env_default",
  topic: "entity:order",
  kind: "entity",
  attempts: 5,
  last_error: "no such topic",
  created_at: "2026-11-30T09:00:00Z",
  dead_at: "2026-11-30T09:05:00Z",
  payload: { order: 7 },
};

const KV_ENTRY = {
  key: "settings/tax",
  value: Buffer.from('{"rate":0.19,"id":9007199254740993}').toString("base64"),
  revision: 4,
  created_at: "2026-11-30T09:00:00Z",
  operation: "put",
};

const OPENAPI = { openapi: "3.1.0", info: { title: "stub", version: "1" }, paths: {} };

/** What both eras serve on REST. */
const shared = (): Record<string, StubRoute> => ({
  "GET /api/v1/events": () => ({
    json: {
      events: [EVENT],
      count: 1,
      limit: 20,
      has_next: true,
      has_prev: false,
      next_cursor: "c",
      approx_total: null,
    },
  }),
  "GET /api/v1/events/evt_1": () => ({ json: EVENT }),
  "GET /api/v1/projects": () => ({ json: [{ id: "proj_1", name: "default", org_id: "org_default" }] }),
  "GET /api/v1/environments": () => ({ json: [{ id: "env_default", name: "default", color: "#6b7280" }] }),
  "GET /api/v1/workers": () => ({ json: { workers: null, count: 0 } }),
  "GET /api/v1/circuit-breakers": () => ({ json: [BREAKER] }),
  "POST /api/v1/circuit-breakers/*": () => ({ json: { ...BREAKER, state: "closed", consecutive_fails: 0 } }),
  "GET /api/v1/dead-letters": () => ({ json: { items: [DEAD_LETTER], total: 1 } }),
  "GET /api/v1/openapi.json": () => ({ json: OPENAPI }),
  "GET /api/v1/secrets": () => ({
    json: [{ name: "STRIPE_KEY", revision: 2, description: "", updated_at: "2026-11-30T09:00:00Z" }],
  }),
  "PUT /api/v1/secrets/STRIPE_KEY": () => ({ json: { name: "STRIPE_KEY", revision: 3 } }),
  "PUT /api/v1/secrets/*": () => ({ status: 404, json: { error: "secret not found" } }),
  "POST /api/v1/secrets": () => ({ json: { name: "NEW_KEY", revision: 1 } }),
  "GET /api/v1/kv/buckets": () => ({
    json: { buckets: [{ name: "APP_shop", values: 2, bytes: 90, history: 5, created_at: EVENT.timestamp }] },
  }),
  "GET /api/v1/kv/buckets/APP_shop/keys": () => ({ json: { keys: ["settings/tax"], count: 1 } }),
  "GET /api/v1/kv/buckets/APP_shop/keys/settings/tax": () => ({ json: KV_ENTRY }),
  "GET /api/v1/kv/buckets/*": () => ({ status: 404, json: { error: "key not found" } }),
  "PUT /api/v1/kv/buckets/APP_shop/keys/*": () => ({ json: { revision: 5 } }),
  "GET /api/v1/outbox/dead-letter": () => ({ json: { items: [OUTBOX_ROW], limit: 50, offset: 0 } }),
  "POST /api/v1/outbox/dead-letter/evt_3/requeue": () => ({
    json: { event_id: "evt_3", result: "requeued" },
  }),
  "DELETE /api/v1/outbox/dead-letter/evt_3": () => ({ json: { event_id: "evt_3", result: "discarded" } }),
});

const notFound = { status: 404, json: { code: "not_found", message: "run not found" } };
const service = "POST /ironflow.v1.IronflowService";
const streams = "POST /ironflow.v1.EntityStreamService";
const projections = "POST /ironflow.v1.ProjectionService";

/** Connect for everything here; the REST twins are gone. */
export const newerEra = (): Record<string, StubRoute> => ({
  ...shared(),
  "GET /health": () => ({ json: { status: "healthy", version: "0.53.0" } }),
  [`${service}/Info`]: () => ({ json: { version: "0.53.0", functionCount: 2, activeRuns: 1 } }),
  [`${service}/ListRuns`]: () => ({ json: { runs: [CONNECT_RUN], totalCount: 1 } }),
  [`${service}/GetRun`]: ({ body }) =>
    (body as { id: string }).id === "run_1" ? { json: CONNECT_RUN } : notFound,
  [`${service}/GetRunSteps`]: () => ({ json: { steps: [CONNECT_STEP] } }),
  [`${service}/CancelRun`]: () => ({ json: { ...CONNECT_RUN, status: "RUN_STATUS_CANCELLED" } }),
  [`${service}/ResumeRun`]: () => ({ json: { ...CONNECT_RUN, status: "RUN_STATUS_RUNNING" } }),
  [`${service}/ListFunctions`]: () => ({ json: { functions: [CONNECT_FUNCTION], totalCount: 1 } }),
  [`${service}/GetFunction`]: () => ({ json: CONNECT_FUNCTION }),
  [`${service}/InvokeFunction`]: () => ({ json: { runId: "run_1", eventId: "evt_1" } }),
  [`${service}/Emit`]: () => ({ json: { runIds: ["run_1"], eventId: "evt_1" } }),
  [`${service}/DeleteRun`]: () => ({ json: {} }),
  [`${service}/RedactEvent`]: () => ({ json: {} }),
  [`${service}/RedactRun`]: () => ({ json: {} }),
  [`${service}/RedactStep`]: () => ({ json: {} }),
  [`${streams}/ListStreams`]: () => ({ json: { streams: [CONNECT_STREAM], totalCount: 1 } }),
  [`${streams}/GetStreamInfo`]: ({ body }) =>
    (body as { entityId: string }).entityId === "order-7" ? { json: CONNECT_STREAM } : notFound,
  [`${streams}/ReadStream`]: () => ({ json: { events: [CONNECT_STREAM_EVENT], totalCount: 2 } }),
  [`${streams}/AppendEvent`]: () => ({ json: { entityVersion: "3", eventId: "evt_8" } }),
  [`${streams}/DeleteStream`]: () => ({ json: { entityVersion: "4" } }),
  [`${projections}/ListProjections`]: () => ({ json: { projections: [CONNECT_PROJECTION], totalCount: 1 } }),
  [`${projections}/GetProjectionStatus`]: () => ({
    json: { name: "orders", status: "active", mode: "managed", lastEventSeq: "41", lag: "2" },
  }),
  [`${projections}/GetRebuildJob`]: () => ({ json: { job: CONNECT_JOB } }),
  [`${projections}/RebuildProjection`]: () => ({ json: { job: CONNECT_JOB } }),
  "POST /ironflow.v1.QueryService/ExecuteSQL": () => ({
    json: { columns: ["id", "n"], rows: [{ values: ["run_1", "3"] }, {}], totalRows: 2 },
  }),
  "POST /ironflow.v1.AgentToolsService/ListTools": () => ({ json: {} }),
  // The real engine's route is not public; this is the embedded engine's.
  "POST /api/v1/events/explain": () => ({
    json: {
      event: "order.placed",
      stored: false,
      functions: [
        { function_id: "ship-order", function_version: 4, decision: "run", matched: true, reason: "matches" },
      ],
      count: 1,
    },
  }),
});

/** REST for everything but Info, as an engine looks whose Connect surface lacks these methods. */
export const restOnly = (): Record<string, StubRoute> => ({
  ...shared(),
  "GET /health": () => ({ json: { status: "healthy", version: "0.53.0" } }),
  [`${service}/Info`]: () => ({ json: { version: "0.53.0", functionCount: 2, activeRuns: 1 } }),
  "GET /api/v1/runs": () => ({ json: { runs: [REST_RUN], count: 1, total_count: 1 } }),
  "GET /api/v1/runs/run_1": () => ({ json: REST_RUN }),
  "GET /api/v1/runs/run_1/steps": () => ({ json: { steps: [REST_STEP], count: 1 } }),
  "GET /api/v1/runs/*": () => ({ status: 404, json: { error: "run not found" } }),
  "POST /api/v1/runs/run_1/cancel": () => ({ json: { ...REST_RUN, status: "cancelled" } }),
  "POST /api/v1/runs/resume": () => ({ json: { ...REST_RUN, status: "running" } }),
  "GET /api/v1/functions": () => ({ json: { functions: [REST_FUNCTION], count: 1, total_count: 1 } }),
  "GET /api/v1/functions/ship-order": () => ({ json: REST_FUNCTION }),
  "POST /api/v1/functions/ship-order/invoke": () => ({ json: { run_id: "run_1", event_id: "evt_1" } }),
  "POST /api/v1/events": () => ({ json: { event_id: "evt_1", run_ids: ["run_1"] } }),
  "GET /api/v1/streams": () => ({ json: { streams: [REST_STREAM], count: 1, total_count: 1 } }),
  "GET /api/v1/streams/order-7": () => ({ json: REST_STREAM }),
  "GET /api/v1/streams/order-7/events": () => ({ json: { events: [REST_STREAM_EVENT], total_count: 2 } }),
  "POST /api/v1/streams/order-7/events": () => ({ json: { entity_version: 3, event_id: "evt_8" } }),
  "GET /api/v1/projections": () => ({ json: { projections: [REST_PROJECTION], count: 1 } }),
  "GET /api/v1/projections/orders/status": () => ({
    json: { name: "orders", status: "active", mode: "managed", last_event_seq: 41, lag: 2 },
  }),
  "GET /api/v1/projections/orders/rebuild": () => ({ json: { job: REST_JOB } }),
  "POST /api/v1/projections/orders/rebuild": () => ({ json: { job: REST_JOB } }),
  "POST /api/v1/sql": () => ({
    json: { columns: ["id", "n"], rows: [["run_1", "3"], []], total_rows: 2 },
  }),
});
