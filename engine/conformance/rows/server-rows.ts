import { expectLike, expectThat, isArray, isNumber, isText, isTime } from "../like.ts";
import { NotOffered, type Row } from "../row.ts";
import type { Target } from "../target.ts";

const none = { authorization: "" };

function needsKey(target: Target): void {
  if (target.apiKey === undefined) throw new NotOffered("the server is used without a key");
}

/** Sections 1.1 to 1.4 and 2.1: who may come in, how errors look, what the server says of itself. */
export const serverRows: Row[] = [
  {
    id: "2.1.health",
    mark: "S",
    title: "GET /health answers status, timestamp and version without a key",
    check: async (t) => {
      const answer = await t.raw("GET", "/health", { headers: none });
      expectLike(answer, { status: 200, json: { status: isText, timestamp: isTime, version: isText } });
    },
  },
  {
    id: "2.1.ready",
    mark: "G",
    title: "GET /ready answers its status without a key",
    check: async (t) => {
      const answer = await t.raw("GET", "/ready", { headers: none });
      expectLike(answer, { status: (status) => status === 200 || status === 503, json: { status: isText } });
    },
  },
  {
    id: "2.1.metrics",
    mark: "D",
    title: "GET /metrics answers Prometheus text without a key",
    check: async (t) => {
      const answer = await t.raw("GET", "/metrics", { headers: none });
      if (answer.status === 404) throw new NotOffered("GET /metrics: 404");
      expectLike(answer, { status: 200, text: /^# (HELP|TYPE) /m });
    },
  },
  {
    id: "2.1.capabilities",
    mark: "S",
    title: "GET /api/v1/capabilities lists transports and features without a key",
    check: async (t) => {
      const answer = await t.raw("GET", "/api/v1/capabilities", { headers: none });
      expectLike(answer, { status: 200, json: { transports: isArray, features: isArray, version: isText } });
    },
  },
  {
    id: "2.1.capabilities.auth-required",
    mark: "G",
    title: "capabilities say whether a key is needed",
    check: async (t) => {
      const { auth_required: needed } = (await t.get("/api/v1/capabilities")) as Record<string, unknown>;
      expectThat("auth_required is there", typeof needed === "boolean");
      if (t.apiKey === undefined) return;
      const without = await t.raw("GET", "/api/v1/runs", { headers: none });
      expectThat("auth_required says what happens without a key", (without.status === 401) === needed);
    },
  },
  {
    id: "2.1.connect-health",
    mark: "S",
    title: "Health answers healthy with a timestamp and components",
    check: async (t) => {
      expectLike(await t.rpc("Health", {}), {
        status: "healthy",
        timestamp: isTime,
        components: (value) => typeof value === "object" && value !== null,
      });
    },
  },
  {
    id: "2.1.get-capabilities",
    mark: "S",
    title: "GetCapabilities answers, or 404, which sends a browser to the WebSocket",
    check: async (t) => {
      const { status } = await t.raw("POST", "/ironflow.v1.IronflowService/GetCapabilities", { body: {} });
      expectThat(`200, 404 or 501, not ${status}`, [200, 404, 501].includes(status));
    },
  },
  {
    id: "2.1.connect-info",
    mark: "S",
    title: "Info counts functions and active runs",
    check: async (t) => {
      const before = await t.rpc("Info", {});
      expectLike(before, { version: isText, startedAt: isTime });
      const id = await t.define("counted", ({ steps }) => steps.sleep("long", 3_600_000));
      const runId = await t.start(id);
      await t.reaches(runId, "waiting");
      const after = await t.rpc("Info", {});
      expectThat("functionCount grew", Number(after["functionCount"]) > Number(before["functionCount"] ?? 0));
      expectThat("activeRuns counts a sleeping run", Number(after["activeRuns"]) >= 1);
      await t.rpc("CancelRun", { id: runId });
    },
  },
  {
    id: "1.1.key-needed",
    mark: "D",
    title: "everything under /api/ and every Connect method wants a key",
    check: async (t) => {
      needsKey(t);
      const rest = await t.raw("GET", "/api/v1/runs", { headers: none });
      expectLike(rest, { status: 401, json: { error: isText } });
      const connect = await t.raw("POST", "/ironflow.v1.IronflowService/ListRuns", {
        headers: none,
        body: {},
      });
      expectLike(connect, { status: 401, json: { code: "unauthenticated", message: isText } });
    },
  },
  {
    id: "1.2.wrong-key",
    mark: "S",
    title: "a key that nobody has is 401 and is not repeated in the answer",
    check: async (t) => {
      needsKey(t);
      const answer = await t.raw("GET", "/api/v1/runs", {
        headers: { authorization: "Bearer ifkey_nobody" },
      });
      expectLike(answer, { status: 401, text: (text) => !String(text).includes("ifkey_nobody") });
    },
  },
  {
    id: "1.2.environment",
    mark: "S",
    title: "X-Ironflow-Environment names the key's own environment",
    check: async (t) => {
      const headers = { "x-ironflow-environment": "default" };
      expectLike(await t.raw("GET", "/api/v1/runs", { headers }), { status: 200 });
    },
  },
  {
    id: "1.2.foreign-environment",
    mark: "M",
    title: "a key is refused for an environment that is not its own",
    check: async (t) => {
      const headers = { "x-ironflow-environment": "env_of_somebody_else" };
      const answer = await t.raw("POST", "/ironflow.v1.IronflowService/ListRuns", { headers, body: {} });
      expectThat(`a 4xx, not ${answer.status}`, answer.status >= 400 && answer.status < 500);
    },
  },
  {
    id: "1.3.rest-error",
    mark: "S",
    title: 'a REST error is a status and {"error": text}',
    check: async (t) => {
      expectThat("a text", (await t.restFails("GET", "/api/v1/events/evt_none", 404)).length > 0);
    },
  },
  {
    id: "1.3.bad-query",
    mark: "I",
    title: "a query parameter that is wrong is 400 and named",
    check: async (t) => {
      expectLike(await t.restFails("GET", "/api/v1/events?limit=x", 400), /limit/);
    },
  },
  {
    id: "1.4.connect-error",
    mark: "S",
    title: 'a Connect error is {"code","message"} with the status of its code',
    check: async (t) => {
      const answer = await t.raw("POST", "/ironflow.v1.IronflowService/GetRun", { body: { id: "run_none" } });
      expectLike(answer, { status: 404, json: { code: "not_found", message: isText } });
      const bad = await t.raw("POST", "/ironflow.v1.IronflowService/GetRun", { body: "{" });
      expectLike(bad, { status: 400, json: { code: "invalid_argument", message: isText } });
    },
  },
  {
    id: "1.4.unknown-method",
    mark: "S",
    title: "a method that does not exist is 404 or 501 unimplemented",
    check: async (t) => {
      const { status } = await t.raw("POST", "/ironflow.v1.IronflowService/NoSuchMethod", { body: {} });
      expectThat(`404 or 501, not ${status}`, status === 404 || status === 501);
    },
  },
  {
    id: "1.4.snake-case-in",
    mark: "S",
    title: "requests may be camelCase or snake_case",
    check: async (t) => {
      const id = t.name("snake");
      await t.rpc("RegisterFunction", {
        id,
        endpoint_url: t.functions.endpoint(id),
        preferred_mode: "push",
        retry: { max_attempts: 7 },
      });
      expectLike(await t.rpc("GetFunction", { id }), {
        endpointUrl: t.functions.endpoint(id),
        preferredMode: "EXECUTION_MODE_PUSH",
        retry: { maxAttempts: 7 },
      });
    },
  },
  {
    id: "1.4.zero-values-out",
    mark: "S",
    title: "answers leave zero values out and name enums in full",
    check: async (t) => {
      const id = await t.define("plain", async () => null);
      const run = await t.reaches(await t.start(id), "completed");
      expectLike(run, { pauseRequested: undefined, error: undefined, executionMode: "EXECUTION_MODE_PUSH" });
      expectThat(
        "no member is null, empty or zero",
        Object.values(run).every((value) => value !== "" && value !== 0),
      );
      const nothing = await t.rpc("ListRuns", { functionId: t.name("nobody") });
      expectLike(nothing, { runs: undefined, nextCursor: undefined, totalCount: undefined });
    },
  },
  {
    id: "1.4.value-twins",
    mark: "G",
    title: "a payload that is no object travels in its twin, in and out, and an object never does",
    check: async (t) => {
      const id = await t.define("twins", async ({ event }) => event.data);
      for (const value of [[1, "two"], "text", 0, false, null]) {
        const { runIds } = await t.rpc("Emit", { event: id, dataValue: value });
        const run = await t.reaches(String((runIds as string[])[0]), "completed");
        expectLike(run, { inputValue: value, outputValue: value, input: undefined, output: undefined });
      }
      const run = await t.reaches(await t.start(id, { a: 1 }), "completed");
      expectLike(run, { input: { a: 1 }, output: { a: 1 }, inputValue: undefined, outputValue: undefined });
    },
  },
  {
    id: "1.4.digits",
    mark: "I",
    title: "no digit of a payload changes on its way",
    check: async (t) => {
      const id = await t.define("digits", async ({ event }) => event.data);
      const body = `{"event":"${id}","data":{"n":12345678901234567890,"x":0.1000000000000000055}}`;
      const { runIds } = await t.rpc("Emit", body);
      const runId = String((runIds as string[])[0]);
      const { text } = await t.raw("POST", "/ironflow.v1.IronflowService/GetRun", { body: { id: runId } });
      expectLike(text, /"n":12345678901234567890,"x":0\.1000000000000000055/);
    },
  },
  {
    id: "1.6.ids",
    mark: "S",
    title: "ids of events and runs have their prefixes",
    check: async (t) => {
      const id = await t.define("ids", async () => null);
      const { eventId, runIds } = await t.emit(id);
      expectLike([eventId, runIds[0]], [/^evt_[A-Za-z0-9_-]+$/, /^run_[A-Za-z0-9_-]+$/]);
    },
  },
  {
    id: "2.14.openapi",
    mark: "M",
    title: "GET /api/v1/openapi.json describes the REST routes",
    check: async (t) => {
      expectLike(await t.get("/api/v1/openapi.json"), {
        openapi: /^3\./,
        paths: (value) => value !== undefined,
      });
    },
  },
  {
    id: "2.14.flow",
    mark: "G",
    title: "the flow routes answer edges",
    check: async (t) => {
      for (const kind of ["emit", "invoke", "stream", "topic", "wait"])
        expectLike(await t.get(`/api/v1/flow/${kind}-edges`), { edges: isArray });
    },
  },
  {
    id: "2.14.audit-trail",
    mark: "S",
    title: "GetAuditTrail tells what happened to a run",
    check: async (t) => {
      const id = await t.define("audited", ({ steps }) => steps.run("one", () => 1));
      const run = await t.reaches(await t.start(id), "completed");
      const trail = await t.rpc("AuditService/GetAuditTrail", { runId: run["id"] });
      expectThat("run.created is there", JSON.stringify(trail).includes("run.created"));
      expectLike(trail, { events: isArray, totalCount: isNumber });
    },
  },
];
