import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createEngineFactory,
  type Answer,
  type EngineFactory,
  type EngineProcess,
} from "./testing/engine-process.ts";

let factory: EngineFactory;
let engine: EngineProcess;

beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start();
  await engine.ask("RegisterFunction", {
    id: "f",
    triggers: [{ event: "never" }],
    endpointUrl: "http://127.0.0.1:1/",
  });
});

afterAll(() => factory.close());

const service = "/ironflow.v1.IronflowService/";

/** The methods that read a message, each with one that would be good but for the run it names. */
const methods: Record<string, Record<string, unknown>> = {
  Health: {},
  Info: {},
  RegisterFunction: { id: "g", endpointUrl: "http://127.0.0.1:1/" },
  GetFunction: { id: "f" },
  ListFunctions: {},
  UpdateFunctionStatus: { id: "f", status: "active" },
  Emit: { event: "e" },
  Trigger: { event: "e" },
  InvokeFunction: { functionId: "f" },
  ListRuns: {},
  GetRun: { id: "run_x" },
  GetRunSteps: { runId: "run_x" },
  CancelRun: { id: "run_x" },
  ResumeRun: { runId: "run_x" },
  DeleteRun: { id: "run_x" },
  TriggerSync: { event: "e" },
  InvokeFunctionSync: { functionId: "f" },
  PauseRun: { runId: "run_x" },
  GetPausedState: { runId: "run_x" },
  RedactRun: { runId: "run_x" },
  RedactEvent: { eventId: "evt_x" },
  RedactStep: { stepId: "s" },
  DeleteFunction: { id: "f" },
  ListFunctionHistory: { functionId: "f" },
};

const restPosts: Record<string, Record<string, unknown>> = {
  "/api/v1/events": { name: "e" },
  "/api/v1/functions/f/invoke": {},
  "/api/v1/runs/run_x/cancel": {},
  "/api/v1/runs/resume": { run_id: "run_x" },
  "/api/v1/environments": { name: "n" },
};

/** Every place that takes a body, and the text it says its error with. */
const doors: [string, Record<string, unknown>, (answer: Answer) => string][] = [
  ...Object.entries(methods).map(([name, message]): (typeof doors)[number] => [
    service + name,
    message,
    ({ body }) => `${String(body["code"])} ${String(body["message"])}`,
  ]),
  ...Object.entries(restPosts).map(([path, body]): (typeof doors)[number] => [
    path,
    body,
    (answer) => `${String(answer.body["code"])} ${String(answer.body["error"])}`,
  ]),
];

it.each(doors)("%s names what is wrong with its body", async (path, good, textOf) => {
  const bad: [string | Record<string, unknown>, RegExp][] = [
    ["{", /invalid_argument body: is not valid JSON/],
    ["[]", /invalid_argument .*expected (object|record)/],
    ['"text"', /invalid_argument .*expected (object|record)/],
    ["\u0000", /invalid_argument body: is not valid JSON/],
    ["[".repeat(100_000), /invalid_argument body: is nested deeper than 64/],
    [`{"a":"${"x".repeat(5_000_000)}"}`, /invalid_argument body: is over 4194304 bytes/],
    [{ ...good, surprise: 1 }, /invalid_argument .*"surprise"/],
  ];
  for (const [field, value] of Object.entries(good)) {
    const { [field]: _, ...rest } = good;
    bad.push([rest, new RegExp(`invalid_argument .*${field}`)]);
    bad.push([
      { ...good, [field]: typeof value === "string" ? 7 : "x" },
      new RegExp(`invalid_argument ${field}: `),
    ]);
    bad.push([{ ...good, [field]: "a\u0000b" }, new RegExp(`invalid_argument ${field}: `)]);
    bad.push([{ ...good, [field]: "x".repeat(10_000) }, new RegExp(`invalid_argument ${field}: `)]);
  }
  for (const [body, message] of bad) {
    const answer = await engine.rest(path, body);
    const shown = typeof body === "string" ? body.slice(0, 40) : JSON.stringify(body).slice(0, 80);
    expect([shown, answer.status, textOf(answer)]).toEqual([shown, 400, expect.stringMatching(message)]);
  }
  const bytes = await fetch(engine.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
  });
  expect([bytes.status, await bytes.text()]).toEqual([
    400,
    expect.stringMatching("body: is not valid UTF-8"),
  ]);
});

/** Members of a registration that are refused, and how. */
const badRegistrations = (
  [
    [{ triggers: [{ event: "e", cron: "* * * * *" }] }, /^triggers\[0\].cron: excludes event/],
    [{ triggers: [{ cron: "sometimes" }] }, /^triggers\[0\].cron: /],
    [{ triggers: [{ cron: "0 0 30 2 *" }] }, /^triggers\[0\].cron: never fires/],
    [{ triggers: [{ cron: "@daily", expression: "true" }] }, /^triggers\[0\].expression: needs an event/],
    [{ concurrency: { key: "data.x" } }, /^concurrency.limit: /],
    [{ concurrency: { limit: 1, key: "data.x ==" } }, /^concurrency.key: /],
    [{ debounce: {} }, /^debounce.periodMs: /],
    [{ debounce: { periodMs: 999 } }, /^debounce.periodMs: /],
    [{ debounce: { periodMs: 1_000, key: "(" } }, /^debounce.key: /],
    [{ metadata: [] }, /^metadata: must be an object/],
  ] satisfies [Record<string, unknown>, RegExp][]
).map(([more, text]): [string, Record<string, unknown>, RegExp] => [
  "RegisterFunction",
  { id: "g", endpointUrl: "http://x", ...more },
  text,
]);

it.each([
  ["Emit", { event: "a b" }, /^event: /],
  ["Emit", { event: "a..b" }, /^event: /],
  ["Emit", { event: "*" }, /^event: must hold no wildcard/],
  ["Emit", { event: "a.>" }, /^event: must hold no wildcard/],
  ["Emit", { event: "events:>" }, /^event: must not begin with a reserved prefix/],
  ["Emit", { event: "system.run" }, /^event: must not begin with a reserved prefix/],
  ["Emit", { event: "paid\u202e" }, /^event: must have no invisible character/],
  ["Emit", { event: "e", data: [1] }, /^data: must be an object; send other JSON as data_value/],
  ["Emit", { event: "e", data: "text" }, /^data: /],
  ["Emit", { event: "e", metadata: 1 }, /^metadata: /],
  ["Emit", { event: "e", version: -1 }, /^version: /],
  ["Emit", { event: "e", version: 1e300 }, /^version: /],
  ["Emit", { event: "e", idempotencyKey: "a\u0000" }, /^idempotencyKey: /],
  ["RegisterFunction", { id: "g" }, /^endpointUrl: is required/],
  ["RegisterFunction", { id: "g", endpointUrl: "ftp://x" }, /^endpointUrl: must be http/],
  ["RegisterFunction", { id: "g", endpointUrl: "http://a:b@x" }, /^endpointUrl: must not hold/],
  ["RegisterFunction", { id: "g", endpointUrl: "nonsense" }, /^endpointUrl: is not a URL/],
  ["RegisterFunction", { id: "g", endpointUrl: "http://x", preferredMode: "sideways" }, /^preferredMode: /],
  [
    "RegisterFunction",
    { id: "g", endpointUrl: "http://x", triggers: [{}] },
    /^triggers\[0\].event: is required/,
  ],
  [
    "RegisterFunction",
    { id: "g", endpointUrl: "http://x", triggers: [{ event: "e", expression: "data.x ==" }] },
    /^triggers\[0\].expression: /,
  ],
  ...badRegistrations,
  ["TriggerSync", { event: "e", timeoutMs: 1e9 }, /^timeoutMs: /],
  ["TriggerBatch", { events: [{ event: "e" }, { event: "a b" }] }, /^events.1.event: /],
  ["InjectStepOutput", { runId: "run_x", stepId: "s", newOutput: "%" }, /^newOutput: must be base64/],
  ["InjectStepOutput", { runId: "run_x", stepId: "s" }, /^newOutput: is required/],
  ["PatchStep", { stepId: "s" }, /^output: is required/],
  ["PatchStep", { stepId: "s", output: [1] }, /^output: must be an object/],
  ["DeleteRuns", { status: "running" }, /^status: /],
  ["RollbackFunction", { functionId: "f", version: -1 }, /^version: /],
  [
    "RegisterFunction",
    { id: "g", endpointUrl: "http://x", cancel_on: [{ event: "e.*" }] },
    /^cancelOn\[0\].event: /,
  ],
  [
    "RegisterFunction",
    { id: "g", endpointUrl: "http://x", retry: { maxAttempts: 0 } },
    /^retry.maxAttempts: /,
  ],
  ["RegisterFunction", { id: "g", endpointUrl: "http://x", timeoutMs: "soon" }, /^timeoutMs: /],
  [
    "RegisterFunction",
    { id: "g", endpointUrl: "http://x", concurrency: { limit: 0 } },
    /^concurrency.limit: /,
  ],
  ["UpdateFunctionStatus", { id: "f", status: "asleep" }, /^status: /],
  ["ListRuns", { status: "sideways" }, /^status: /],
  ["ListRuns", { statuses: ["failed", "x"] }, /^status: /],
  ["ListRuns", { limit: 1_001 }, /^limit: /],
  ["ListRuns", { limit: -1 }, /^limit: /],
  ["ListRuns", { offset: 0.5 }, /^offset: /],
  ["ListRuns", { cursor: "nonsense" }, /^cursor: /],
  ["ListRuns", { since: "yesterday" }, /^since: /],
  ["ListRuns", { until: "2026-01-01" }, /^until: /],
  ["ListRuns", { search: "a\u0000" }, /^search: /],
  ["ListFunctions", { cursor: "nonsense" }, /^cursor: /],
])("%s %j is refused", async (method, message, text) => {
  const answer = await engine.connect(method, message);
  expect(answer).toEqual({
    status: 400,
    body: { code: "invalid_argument", message: expect.stringMatching(text) },
  });
});

it.each([
  ["/api/v1/events?limit=x", 400, /^limit: /],
  ["/api/v1/events?limit=0", 400, /^limit: /],
  ["/api/v1/events?cursor=a&before=b", 400, /cursor and before/],
  ["/api/v1/events?cursor=nonsense", 400, /^cursor: /],
  ["/api/v1/events?before=nonsense", 400, /^before: /],
  ["/api/v1/events?since=now", 400, /^since: /],
  ["/api/v1/events?surprise=1", 400, /surprise/],
  ["/api/v1/events?name=a&name=b", 400, /^name: given twice/],
  ["/api/v1/events?name=%00", 400, /^name: /],
  ["/api/v1/events/evt_none", 404, /event not found/],
  ["/api/v1/runs?status=sideways", 400, /^status/],
  ["/api/v1/runs?limit=1001", 400, /^limit: /],
  ["/api/v1/runs?offset=-1", 400, /^offset: /],
  ["/api/v1/runs?until=x", 400, /^until: /],
  ["/api/v1/runs/run_none", 404, /not found/],
  ["/api/v1/runs/run_none/steps", 404, /not found/],
  ["/api/v1/runs/%00", 400, /bad request/],
  ["/api/v1/functions?mode=sideways", 400, /^mode: /],
  ["/api/v1/functions/none", 404, /not found/],
  ["/api/v1/dead-letters?limit=501", 400, /^limit: /],
  ["/api/v1/dead-letters?offset=10001", 400, /^offset: /],
  ["/api/v1/dead-letters?env=env_other", 403, /^env: /],
  ["/api/v1/environments?x=1", 400, /x/],
  ["/api/v1/projects?x=1", 400, /x/],
  ["/api/v1/events/names?limit=1", 400, /limit/],
  ["/api/v1/audit?from=x", 400, /^from: /],
  ["/api/v1/audit?cursor=nonsense", 400, /^cursor: /],
  ["/api/v1/runs/run_none/audit", 404, /not found/],
  ["/api/v1/circuit-breakers/none/failures", 404, /not found/],
  ["/api/v1/workers/none/jobs", 404, /^worker not registered/],
  ["/api/v1/workers/a..b/jobs", 400, /^worker id: /],
  ["/api/v1/workers/w/jobs?available=-1", 400, /^available: /],
  ["/api/v1/nothing", 404, /not found/],
])("GET %s: %i", async (path, status, message) => {
  const answer = await engine.rest(path);
  expect(answer).toEqual({
    status,
    body: { error: expect.stringMatching(message), code: expect.any(String) },
  });
});

it("answers unknown methods, wrong verbs and streams without a stack", async () => {
  expect(await engine.connect("Nothing", {})).toEqual({
    status: 404,
    body: { code: "unimplemented", message: "no such method" },
  });
  const other = await engine.rest("/ironflow.v1.NoSuchService/List", {});
  expect(other.status).toBe(404);
  const stream = await fetch(`${engine.url}${service}Emit`, {
    method: "POST",
    headers: { "content-type": "application/connect+json" },
    body: "\0\0\0\0\u0002{}",
  });
  expect(await stream.json()).toMatchObject({ code: "unimplemented" });
  const reset = await engine.rest("/api/v1/circuit-breakers/none/reset", {});
  expect([reset.status, reset.body["code"]]).toEqual([404, "not_found"]);
  for (const [path, verb] of [
    ["/api/v1/runs", "DELETE"],
    [`${service}Emit`, "GET"],
  ] as const) {
    expect((await fetch(engine.url + path, { method: verb })).status).toBe(405);
  }
});

it("wrote nothing and broke nothing on the way", async () => {
  expect(await engine.rest("/api/v1/events")).toMatchObject({ body: { count: 0, approx_total: 0 } });
  expect(await engine.ask("ListRuns", {})).toEqual({});
  expect(await engine.ask("ListFunctions", {})).toMatchObject({
    totalCount: 1,
    functions: [{ id: "f", version: 1 }],
  });
  expect(engine.stderr()).not.toMatch(/"level":50/);
});
