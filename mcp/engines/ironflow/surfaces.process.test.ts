import { afterEach, describe, expect, it } from "vitest";
import { newerEra, restOnly } from "../../testing/engine-eras.ts";
import { stubEngine, type StubEngine, type StubRoute } from "../../testing/stub-engine.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { createIronflowEngine } from "../ironflow.ts";

const open: StubEngine[] = [];
afterEach(async () => {
  for (const stub of open.splice(0)) await stub.close();
});

async function engineWith(routes: Record<string, StubRoute>) {
  const stub = await stubEngine(routes);
  open.push(stub);
  return { stub, engine: createIronflowEngine({ baseUrl: stub.url, limits: { firstDelayMs: 1 } }) };
}

const paths = (stub: StubEngine) => stub.requests.map(({ method, path }) => `${method} ${path}`);
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const CONNECT_LIST = "POST /ironflow.v1.IronflowService/ListRuns";
const REST_LIST = "GET /api/v1/runs";

describe("a method that the engine does not serve over Connect", () => {
  it("is asked for over REST, and from then on at once", async () => {
    const { stub, engine } = await engineWith(restOnly());
    await engine.listRuns({ limit: 50, offset: 0 }, {});
    await engine.listRuns({ limit: 50, offset: 0 }, {});
    expect(paths(stub)).toEqual([CONNECT_LIST, REST_LIST, REST_LIST]);
  });

  it.each([
    { status: 501, json: { code: "unimplemented", message: "no" } },
    { status: 404, json: { code: "unimplemented", message: "no" } },
    { status: 404, text: "404 page not found" },
    { status: 405, text: "method not allowed" },
    {
      status: 200,
      text: "<html>the dashboard</html>",
      headers: { "content-type": "text/html; charset=utf-8" },
    },
  ])("is told by %o", async (answer) => {
    const { engine } = await engineWith({ ...restOnly(), [CONNECT_LIST]: () => answer });
    expect(await engine.listRuns({ limit: 50, offset: 0 }, {})).toMatchObject({ count: 1 });
  });

  it("is not told by a record that is missing", async () => {
    const { stub, engine } = await engineWith(newerEra());
    expect(await failure(engine.getRun("run_none", {}))).toMatchObject({ code: "not_found" });
    expect(paths(stub)).toHaveLength(1);
  });

  it("is tried again when the engine behind the address was replaced", async () => {
    const { stub, engine } = await engineWith(restOnly());
    await engine.getRun("run_1", {});
    for (const path of Object.keys(stub.routes)) delete stub.routes[path];
    Object.assign(stub.routes, newerEra());
    expect(await engine.getRun("run_1", {})).toMatchObject({ id: "run_1" });
  });

  it("is unimplemented when REST lacks it too", async () => {
    const { engine } = await engineWith({});
    expect(await failure(engine.listRuns({ limit: 50, offset: 0 }, {}))).toMatchObject({
      code: "unimplemented",
      message: "the engine does not serve IronflowService/ListRuns",
    });
    expect(await failure(engine.listBreakers({}))).toMatchObject({ code: "unimplemented" });
  });

  it("reports a missing record of the REST twin as missing", async () => {
    const { engine } = await engineWith(restOnly());
    expect(await failure(engine.getRun("run_none", {}))).toMatchObject({ code: "not_found" });
  });
});

describe("a filter that older engines ignore in silence", () => {
  it.each([{ offset: 50 }, { status: "failed,paused" }, { search: "run_%" }, { event_id: "evt_1" }])(
    "is asked for over REST first: %o",
    async (filter) => {
      const { stub, engine } = await engineWith({ ...newerEra(), ...restOnly() });
      await engine.listRuns({ limit: 50, offset: 0, ...filter }, {});
      expect(paths(stub)).toEqual([REST_LIST]);
      const asked = Object.fromEntries(stub.requests[0]?.query ?? []);
      expect(asked).toMatchObject(
        Object.fromEntries(Object.entries(filter).map(([key, value]) => [key, String(value)])),
      );
    },
  );

  it("goes over Connect where the REST route is gone", async () => {
    const { stub, engine } = await engineWith(newerEra());
    await engine.listRuns({ limit: 10, offset: 20, status: "failed,paused", search: "x" }, {});
    await engine.listRuns({ limit: 10, offset: 20, status: "failed,paused", search: "x" }, {});
    expect(paths(stub)).toEqual([REST_LIST, CONNECT_LIST, CONNECT_LIST]);
    expect(stub.requests[1]?.body).toEqual({
      limit: 10,
      offset: 20,
      search: "x",
      statuses: ["RUN_STATUS_FAILED", "RUN_STATUS_PAUSED"],
    });
  });

  it("has no REST detour when the filter is of both eras", async () => {
    const { stub, engine } = await engineWith(newerEra());
    await engine.listRuns({ limit: 10, offset: 0, status: "failed", function_id: "f" }, {});
    expect(stub.requests.map(({ body }) => body)).toEqual([
      { limit: 10, functionId: "f", status: "RUN_STATUS_FAILED" },
    ]);
  });
});

describe("an answer that is not as it should be", () => {
  it.each([
    [{ json: { runs: [{ id: "run_1", attempt: "three" }] } }, "runs.0.attempt"],
    [{ json: { runs: {} } }, "runs"],
    [{ json: [] }, "the whole answer"],
    [{ text: '{"runs":[' }, "is not JSON"],
    [{ text: "" }, "is not JSON"],
    [{ text: "<html>sign in</html>" }, "is not JSON"],
    [{ text: `${"[".repeat(200_000)}${"]".repeat(200_000)}` }, "ListRuns"],
  ])("is an error that names the place: %#", async (answer, place) => {
    const { engine } = await engineWith({ [CONNECT_LIST]: () => answer });
    const error = await failure(engine.listRuns({ limit: 50, offset: 0 }, {}));
    expect(error).toBeInstanceOf(ToolFailure);
    expect(error).toMatchObject({
      code: "data_loss",
      retryable: false,
      message: expect.stringContaining(place),
    });
  });
});

describe("a payload on its way out", () => {
  it.each([
    [{ a: 1 }, { data: { a: 1 } }],
    ["text", { dataValue: "text" }],
    [[1], { dataValue: [1] }],
    [null, { dataValue: null }],
    [0, { dataValue: 0 }],
  ])("travels as a struct or as a value: %o", async (data, expected) => {
    const { stub, engine } = await engineWith({
      "POST /ironflow.v1.IronflowService/Emit": () => ({ json: { eventId: "evt_1" } }),
    });
    expect(await engine.emitEvent({ event: "x", data }, {})).toEqual({ event_id: "evt_1", run_ids: [] });
    expect(stub.requests[0]?.body).toEqual({ event: "x", ...expected });
  });

  it("carries its idempotency key over REST too", async () => {
    const { stub, engine } = await engineWith({
      "POST /api/v1/functions/*": () => ({ json: { run_id: "run_1", event_id: "evt_1" } }),
      "POST /api/v1/events": () => ({ json: { run_ids: ["run_1"], event_id: "evt_1" } }),
    });
    await engine.invokeFunction({ functionId: "a/b", data: {}, idempotencyKey: "k" }, {});
    await engine.emitEvent({ event: "x", data: {}, idempotencyKey: "k" }, {});
    const [, invoked, , emitted] = stub.requests;
    expect(invoked).toMatchObject({
      path: "/api/v1/functions/a%2Fb/invoke",
      headers: { "idempotency-key": "k" },
    });
    expect(emitted?.body).toMatchObject({ name: "x", idempotency_key: "k" });
  });
});
