/**
 * Names in the samples that stand for a run, its event and a worker's job that exist when the request is sent. Most requests
 * then reach what they are about, instead of ending at "not found".
 */
export const PLACES = { run: "run_x", event: "evt_x", job: "job_x", lease: "lease_x" } as const;

/** A bucket that exists, unless a request has just deleted it. */
export const FUZZED_BUCKET = "fuzzed";

/** A source of webhooks that exists; requests to it bring its token. */
export const FUZZED_PROVIDER = "world";

/** A request that is good, or would be but for the thing it names; mutations begin here. */
export interface Sample {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

const rpc = (name: string, body: Record<string, unknown> = {}): Sample => ({
  method: "POST",
  path: `/ironflow.v1.${name.includes("/") ? name : `IronflowService/${name}`}`,
  body,
});

const endpointUrl = "http://127.0.0.1:9/";
const at = "2026-01-01T00:00:00Z";

/** Messages of the Connect methods that have fields; every other method begins with an empty message. */
export const rpcSamples: Record<string, Record<string, unknown>> = {
  RegisterFunction: {
    id: "fuzzed",
    name: "Fuzzed",
    triggers: [{ event: "fuzz.*", expression: "data.n > 1" }],
    retry: { maxAttempts: 1, initialDelayMs: 1, backoffFactor: 1, maxDelayMs: 1 },
    timeoutMs: 100,
    concurrency: { limit: 1, key: "data.n" },
    debounce: { periodMs: 1000, key: "data.n", maxWaitMs: 2000 },
    cancelOn: [{ event: "stop", match: "data.n" }],
    metadata: { a: { b: 1 } },
    endpointUrl,
  },
  GetFunction: { id: "fuzzed" },
  DeleteFunction: { id: "fuzzed" },
  UpdateFunctionStatus: { id: "fuzzed", status: "FUNCTION_STATUS_ACTIVE" },
  ListFunctions: { status: "active", limit: 10, cursor: "", name: "f%", mode: "push", offset: 0 },
  ListFunctionHistory: { functionId: "fuzzed", limit: 10, fromVersion: 1 },
  GetFunctionAtVersion: { functionId: "fuzzed", version: 1 },
  RollbackFunction: { functionId: "fuzzed", version: 1, changeReason: "x" },
  Emit: { event: "fuzz.a", data: { n: 2 }, idempotencyKey: "k", metadata: { m: 1 }, version: 1 },
  Trigger: { event: "fuzz.b", dataValue: [1] },
  TriggerSync: { event: "fuzz.c", data: { n: 2 }, timeoutMs: 50 },
  TriggerBatch: { events: [{ event: "fuzz.d", data: { n: 1 } }, { event: "x" }] },
  InvokeFunction: { functionId: "fuzzed", data: { n: 1 }, idempotencyKey: "k" },
  InvokeFunctionSync: { functionId: "fuzzed", data: { n: 1 }, timeoutMs: 50 },
  ListRuns: {
    functionId: "fuzzed",
    status: "failed",
    statuses: ["completed"],
    since: at,
    until: at,
    limit: 5,
    offset: 1,
    search: "a",
    eventId: "evt_x",
    cursor: "x",
  },
  GetRun: { id: "run_x" },
  GetRunSteps: { runId: "run_x" },
  CancelRun: { id: "run_x", reason: "r" },
  ResumeRun: { runId: "run_x", fromStep: "a" },
  PauseRun: { runId: "run_x" },
  GetPausedState: { runId: "run_x" },
  InjectStepOutput: { runId: "run_x", stepId: "run_x:a:0", newOutput: "MQ==", reason: "r" },
  PatchStep: { stepId: "run_x:a:0", output: { n: 1 }, reason: "r" },
  DeleteRun: { id: "run_x" },
  DeleteRuns: { functionId: "nobody", status: "RUN_STATUS_FAILED", until: at },
  RedactEvent: { eventId: "evt_x" },
  RedactRun: { runId: "run_x" },
  RedactStep: { stepId: "run_x:a:0" },
  ExplainEventMatch: { event: "fuzz.a", data: "{}", version: 1, idempotencyKey: "k" },
  GetAuditTrail: { runId: "run_x", eventType: "run.created", limit: 5, cursor: "x" },
  AppendEvent: {
    entityId: "e",
    entityType: "fuzz",
    eventName: "fuzz.e",
    data: { n: 1 },
    expectedVersion: -1,
    idempotencyKey: "k",
    version: 1,
    metadata: { m: 1 },
  },
  ReadStream: { entityId: "e", fromVersion: 1, limit: 5, direction: "backward" },
  GetStreamInfo: { entityId: "e" },
  ListStreams: { entityType: "fuzz", limit: 5, offset: 0, search: "e", includeDeleted: true },
  GetEntityHistory: {
    entityId: "e",
    fromVersion: "1",
    limit: 5,
    direction: "forward",
    fromTimestamp: at,
    toTimestamp: at,
  },
  CreateSnapshot: { entityId: "e", entityType: "fuzz", entityVersion: 1, state: { n: 1 } },
  GetSnapshot: { entityId: "e", beforeVersion: 1 },
  // Another one than the others: most of them are to find their stream alive.
  DeleteStream: { entityId: "e-gone", purge: true },
  Publish: { topic: "fuzz.t", data: { n: 1 }, idempotencyKey: "k" },
  GetTopicStats: { topic: "fuzz.t" },
  CreateConsumerGroup: {
    namespace: "default",
    name: "fuzzed",
    pattern: "topic:fuzz.>",
    filterExpr: "data.n > 0",
    ackMode: "ACK_MODE_MANUAL",
    backpressure: "BACKPRESSURE_MODE_BUFFER",
    maxInflight: 5,
    maxRedeliveries: 2,
    redeliverDelayMs: 1,
    metadata: { m: 1 },
  },
  GetConsumerGroup: { name: "fuzzed" },
  ListConsumerGroups: { status: "CONSUMER_GROUP_STATUS_ACTIVE", limit: 1, cursor: "a" },
  UpdateConsumerGroup: {
    group: { name: "fuzzed", maxInflight: 7, status: "active" },
    updateMask: "maxInflight",
  },
  DeleteConsumerGroup: { name: "fuzzed-gone" },
  CreateWebhookSource: {
    name: "n",
    provider: "fuzzed",
    eventPrefix: "fuzz.hook",
    verifySecret: "a-secret-value",
    verifyConfig: {
      signatureHeader: "X-Sig",
      entrySeparator: ",",
      kvDelimiter: "=",
      signatureKey: "v1",
      timestampKey: "t",
      signingTemplate: "{id}.{ts}.{body}",
      encoding: "hex",
      algorithm: "hmac-sha256",
      toleranceSeconds: 5,
      eventNamePath: "body:type",
      dedupIdPath: "header:X-Id",
    },
    metadata: { m: 1 },
    schemaVersion: 1,
  },
  GetWebhookSource: { id: "wh_x" },
  ListWebhookSources: { limit: 5, offset: 0 },
  UpdateWebhookSource: {
    id: "wh_x",
    name: "n",
    verifyHeader: "X-Old",
    verifyAlgorithm: "hmac-sha1",
    expectedUpdatedAt: at,
  },
  RotateWebhookSecret: { id: "wh_x", verifySecret: "another-value", graceSeconds: 5 },
  DisableWebhookSignatureVerification: { id: "wh_x", graceSeconds: 5 },
  ListWebhookDeliveries: { sourceId: "wh_x", status: "accepted", limit: 5, offset: 0 },
  TestWebhookVerifyConfig: {
    verifyConfig: { signatureHeader: "X-Sig", signingTemplate: "{id}.{body}", dedupIdPath: "body:a.b" },
    verifySecret: "a-secret-value",
    headers: { "X-Sig": "00" },
    body: '{"type":"a"}',
  },
  JoinConsumerGroup: { groupName: "fuzzed", consumerId: "c", clientId: "d" },
  AckEvent: {
    groupName: "fuzzed",
    consumerId: "sub_x",
    eventId: "evt_x",
    ackType: "ACK_TYPE_NAK",
    redeliverDelayMs: 1,
  },
  GetRunStateAt: { runId: "run_x", timestamp: at },
  GetRunTimeline: { runId: "run_x" },
  GetStepOutputAt: { runId: "run_x", stepId: "run_x:a:0", timestamp: at },
  ExecuteSQL: {
    query: "select id, status from runs where function_id = 'fuzzed' -- all",
    timeoutMs: 200,
    maxRows: 5,
  },
  RegisterProjection: {
    name: "p",
    events: ["fuzz.*"],
    partitionKey: "data.n",
    version: 1,
    mode: "managed",
    changeReason: "r",
  },
  CreateSQLProjection: {
    name: "p-sql",
    tableSql: "create table proj_fuzz (n integer, k text); create index by_k on proj_fuzz (k)",
    eventHandlers: { "fuzz.e": "insert into proj_fuzz (n, k) values (:data.n, :entity_id)" },
    events: ["fuzz.e"],
    description: "d",
  },
  UnregisterProjection: { name: "p-gone" },
  ListProjections: { status: "active", mode: "managed", limit: 5, offset: 0 },
  GetProjection: { name: "p", partition: "1" },
  GetProjectionStatus: { name: "p-sql" },
  PollProjectionEvents: { name: "p", batchSize: 5, partition: "1" },
  SaveProjectionState: {
    name: "p",
    partitionKey: "1",
    state: { n: 1 },
    lastEventId: "",
    lastEventSeq: "1",
    lastEventTime: at,
  },
  AckProjectionEvents: { name: "p", lastEventId: "evt_x", lastEventSeq: 1 },
  RebuildProjection: { name: "p-sql", partition: "", fromEventId: "", toEventId: "", dryRun: true },
  GetRebuildJob: { name: "p-sql" },
  CancelRebuild: { name: "p-sql" },
  ReportRebuildProgress: { name: "p", eventsProcessed: 1, totalEvents: 2, completed: false },
  PauseProjection: { name: "p" },
  ResumeProjection: { name: "p" },
  // The short times are for when there is something to wait for.
  WaitProjectionCatchup: { name: "p-sql", minSeq: "1", timeout: "0.01s", partition: "" },
  WaitProjectionCatchupBatch: { items: [{ name: "p-sql", minSeq: 1 }], timeout: "0.01s" },
  WaitForEvent: { eventId: "evt_x", projection: "p-sql", timeout: "0.01s" },
  ListProjectionHistory: { name: "p", limit: 5, beforeRevision: 9 },
  GetProjectionRevision: { name: "p", revision: 1 },
  RegisterTool: {
    agentName: "fuzzed",
    callbackUrl: endpointUrl,
    tools: [
      {
        name: "t",
        description: "d",
        inputSchemaJson: '{"type":"object","properties":{"n":{"type":"number"}}}',
        requiredScopes: ["a.b"],
        timeoutMs: 100,
      },
    ],
  },
  ListTools: { cursor: "fuzzed.a" },
  InvokeTool: { toolName: "fuzzed.t", input: { n: 1 } },
  UnregisterTool: { agentName: "fuzzed" },
  Subscribe: {
    pattern: "topic:fuzz.>",
    options: { replay: 5, filter: "data.n > 0", includeMetadata: true, consumerGroup: "", ackMode: "manual" },
  },
};

/** Bodies of the REST routes that take one, by method and path as the route writes it. */
const restBodies: Record<string, Record<string, unknown>> = {
  "POST /api/v1/events": {
    name: "fuzz.a",
    data: { n: 1 },
    metadata: { m: 1 },
    idempotency_key: "k",
    version: 1,
  },
  "POST /api/v1/functions/{id}/invoke": { data: { n: 1 } },
  "POST /api/v1/runs/{id}/cancel": { reason: "r" },
  "POST /api/v1/runs/resume": { run_id: "run_x", from_step: "a" },
  "POST /api/v1/steps/patch": { step_id: "run_x:a:0", output: { n: 1 }, reason: "r" },
  "POST /api/v1/kv/buckets": {
    name: FUZZED_BUCKET,
    description: "d",
    ttl_seconds: 60,
    max_value_size: 1024,
    max_bytes: 65_536,
    history: 3,
  },
  "POST /api/v1/streams/{entity}/events": {
    entity_type: "fuzz",
    event_name: "fuzz.e",
    data: { n: 1 },
    expected_version: -1,
    idempotency_key: "k",
    version: 1,
    metadata: { m: 1 },
  },
  "POST /api/v1/projections/catchup/batch": { items: [{ name: "p-sql", minSeq: 1 }], timeout: 10 },
  "POST /api/v1/projections/wait-for-event": { eventId: "evt_x", projection: "p-sql", timeout: 10 },
  "POST /api/v1/projections/{projection}/rebuild": {
    dryRun: true,
    fromEventId: "evt_x",
    toEventId: "evt_x",
    partition: "1",
  },
  "POST /api/v1/streams/{entity}/snapshots": { entity_type: "fuzz", entity_version: 1, state: { n: 1 } },
  "POST /api/v1/sql": { query: "with a as (select 1) select * from a, events", timeout_ms: 200, max_rows: 5 },
  "POST /api/v1/config/{name}": { a: 1, b: { c: [1] } },
  "PATCH /api/v1/config/{name}": { a: 2 },
  "POST /api/v1/webhooks/{provider}": { id: "1", type: "a", data: { n: 1 } },
  "POST /api/v1/secrets": { name: "FUZZED", value: "v", description: "d" },
  "PUT /api/v1/secrets/{name}": { value: "w", description: "d" },
  "PATCH /api/v1/secrets/{name}": { name: "FUZZED", description: "d" },
  register: {
    worker_id: "w",
    hostname: "h",
    function_ids: ["fuzzed"],
    max_concurrent_jobs: 1,
    labels: { a: "b" },
    version: { sdk: "s", runtime: "r" },
  },
  heartbeat: { worker_id: "w", active_jobs: 0, jobs: [{ job_id: "job_x", started_at: at }] },
  ack: { run_id: "run_x", execution_seq: 1, lease_token: "lease_x" },
  job: {
    status: "progress",
    run_id: "run_x",
    execution_seq: 1,
    lease_token: "lease_x",
    step_offset: 0,
    steps: [
      {
        id: "run_x:a:0",
        name: "a",
        type: "invoke",
        status: "completed",
        started_at: at,
        ended_at: at,
        output: 1,
      },
    ],
    yield: { step_id: "run_x:n:0", type: "sleep", until: at },
    output: 1,
    error: { message: "m", code: "C", retryable: true },
  },
};

/** Values for what a path names. */
const pathValues: Record<string, string> = {
  key: "k%3Afuzzed",
  bucket: FUZZED_BUCKET,
  name: "FUZZED",
  job: PLACES.job,
  event: PLACES.event,
  environment: "env_default",
  entity: "e",
  projection: "p",
  provider: FUZZED_PROVIDER,
};

/** What `{id}` and `{key}` mean is said by the segment before them. */
const valuesUnder: Record<string, string> = {
  keys: "a.b/c",
  history: "a.b/c",
  runs: PLACES.run,
  events: PLACES.event,
  functions: "fuzzed",
  workers: "w",
  environments: "env_default",
};

/** The path of a route with things in it that exist. */
function fillPath(path: string): string {
  const segments = path.split("/");
  return segments
    .map((segment, index) => {
      const name = /^\{([\w.]+)\}$/.exec(segment)?.[1];
      if (name === undefined) return segment;
      const under = valuesUnder[segments[index - 1] ?? ""];
      return (name === "id" || name === "key" ? (under ?? pathValues[name]) : pathValues[name]) ?? "x";
    })
    .join("/");
}

/** Query parameters that the lists know. */
const query =
  "limit=5&offset=1&status=active&name=f&cursor=x&since=2026-01-01T00:00:00Z&search=a&env=default&source=api&available=1&filter=a.*&purge=true&revision=1&entity_type=fuzz&from_version=1&direction=backward";

/** One sample for every method and every route that the engine serves, those of `samples` and those it only names. */
export function samplesOf(
  methods: Iterable<string>,
  routes: Iterable<{ method: string; path: string }>,
): Sample[] {
  const all = [...methods].map((name) => rpc(name, rpcSamples[name.split("/").at(-1) ?? ""]));
  for (const { method, path } of routes) {
    const filled = fillPath(path);
    const last = path.split("/").at(-1) ?? "";
    const kind = path.includes("/jobs/{") && last !== "ack" ? "job" : last;
    const body =
      restBodies[`${method} ${path}`] ?? (path.includes("/workers/") ? restBodies[kind] : undefined);
    if (method === "GET" || method === "DELETE")
      all.push({ method, path: `${filled}?${query}` }, { method, path: filled });
    else all.push({ method, path: filled, body: body ?? {} });
  }
  return all;
}
