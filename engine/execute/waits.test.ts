import { afterEach, beforeEach, expect, it } from "vitest";
import { cancelRun } from "./commands.ts";
import {
  asleep,
  completed,
  createHarness,
  ENV,
  failed,
  isDone,
  yielded,
  type Harness,
} from "../testing/harness.ts";
import type { PushRequest } from "../contract/push.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

const outputOf = (request: PushRequest, name: string) =>
  (request.steps ?? []).find((known) => known.name === name)?.output;

/** A function that waits for `paid` and answers with the event it got. */
async function defineWaiter(filter: {
  match?: string;
  match_value?: unknown;
  timeout?: string;
}): Promise<void> {
  await engine.define(
    "waiter",
    (request) =>
      isDone(request, "paid")
        ? completed(outputOf(request, "paid"))
        : yielded({
            type: "wait_for_event",
            step_id: `${request.run_id}:paid:0`,
            event_filter: { event: "paid", timeout: "7d", ...filter },
          }),
    { triggers: [{ event: "placed" }] },
  );
}

async function startWaiter(data: unknown): Promise<string> {
  const { runIds } = await engine.emit("placed", data);
  const id = runIds[0] ?? "";
  await engine.until("the wait", () => engine.run(id).status === "waiting");
  return id;
}

it("sleeps until its time and goes on with the sleep completed", async () => {
  await engine.define(
    "sleeper",
    (request) =>
      isDone(request, "nap") ? completed("awake") : asleep(request, engine.clock.nowMs() + 5_000),
    { triggers: [{ event: "go" }] },
  );
  const { runIds } = await engine.emit("go");
  const id = runIds[0] ?? "";
  await engine.until("sleep", () => engine.run(id).status === "waiting");
  expect(engine.steps(id)).toMatchObject([
    { name: "nap", type: "sleep", status: "sleeping", sleep_until: engine.clock.nowMs() + 5_000 },
  ]);
  engine.clock.advance(4_999);
  await engine.settle();
  expect(engine.run(id).status).toBe("waiting");
  engine.clock.advance(1);
  await engine.until("end", () => engine.run(id).status === "completed");
  expect(engine.steps(id)).toMatchObject([{ status: "completed", duration_ms: 5_000 }]);
  expect(engine.run(id).attempt).toBe(1);
});

it("wakes sleepers soon after the wall clock jumped over their time", async () => {
  await engine.define(
    "sleeper",
    (request) => (isDone(request, "nap") ? completed() : asleep(request, engine.clock.nowMs() + 86_400_000)),
    { triggers: [{ event: "go" }] },
  );
  const { runIds } = await engine.emit("go");
  const id = runIds[0] ?? "";
  await engine.until("sleep", () => engine.run(id).status === "waiting");
  engine.clock.jump(90_000_000);
  engine.clock.advance(30_000);
  await engine.until("end", () => engine.run(id).status === "completed");
  expect(engine.calls).toHaveLength(2);
});

it("wakes only the run whose own event has the same value at the path", async () => {
  await defineWaiter({ match: "data.order" });
  const one = await startWaiter({ order: 1 });
  const two = await startWaiter({ order: 2 });
  await engine.emit("paid", { order: 3 });
  await engine.emit("other", { order: 2 });
  await engine.settle();
  expect([engine.run(one).status, engine.run(two).status]).toEqual(["waiting", "waiting"]);
  const paid = await engine.emit("paid", { order: 2, cents: 5 });
  await engine.until("end", () => engine.run(two).status === "completed");
  expect(JSON.parse(engine.run(two).output ?? "")).toMatchObject({
    id: paid.eventId,
    name: "paid",
    data: { order: 2, cents: 5 },
  });
  expect(engine.run(one).status).toBe("waiting");
});

it("tells a number from its text, an object by content, and lets a missing value match nothing", async () => {
  await defineWaiter({ match: "data.key" });
  const number = await startWaiter({ key: 1 });
  const object = await startWaiter({ key: { a: 1, b: [2] } });
  const missing = await startWaiter({});
  await engine.emit("paid", { key: "1" });
  await engine.emit("paid", {});
  await engine.settle();
  expect([number, object, missing].map((id) => engine.run(id).status)).toEqual([
    "waiting",
    "waiting",
    "waiting",
  ]);
  await engine.emit("paid", { key: { b: [2], a: 1 } });
  await engine.until("end", () => engine.run(object).status === "completed");
  expect(engine.run(number).status).toBe("waiting");
});

it("compares with the value that the function names", async () => {
  await defineWaiter({ match: "data.order", match_value: "named" });
  const id = await startWaiter({ order: "own" });
  await engine.emit("paid", { order: "own" });
  await engine.settle();
  expect(engine.run(id).status).toBe("waiting");
  await engine.emit("paid", { order: "named" });
  await engine.until("end", () => engine.run(id).status === "completed");
});

it("evaluates an expression, and stores a dead letter when it cannot while the run goes on waiting", async () => {
  await defineWaiter({ match: "data.cents > 100" });
  const id = await startWaiter({});
  await engine.emit("paid", { cents: 5 });
  const broken = await engine.emit("paid", { cents: "many" });
  await engine.settle();
  expect(engine.run(id).status).toBe("waiting");
  const letters = engine.core.store.deadLetters.list({ environmentId: ENV }, { limit: 10, offset: 0 });
  expect(letters.items).toMatchObject([
    { source: "resume", event_id: broken.eventId, run_id: id, function_id: "waiter" },
  ]);
  await engine.emit("paid", { cents: 500 });
  await engine.until("end", () => engine.run(id).status === "completed");
});

it("fails the run when no event came in time", async () => {
  await defineWaiter({ timeout: "1h30m" });
  const id = await startWaiter({});
  engine.clock.advance(5_399_999);
  await engine.settle();
  expect(engine.run(id).status).toBe("waiting");
  engine.clock.advance(1);
  await engine.until("end", () => engine.run(id).status === "failed");
  expect(engine.steps(id)).toMatchObject([{ status: "timed_out" }]);
  expect(JSON.parse(engine.run(id).error ?? "")).toMatchObject({ code: "WAIT_TIMEOUT" });
  expect(engine.calls).toHaveLength(1);
});

it("forgets timers and waits of a cancelled run", async () => {
  await defineWaiter({ timeout: "1h" });
  const id = await startWaiter({});
  await engine.change((tx) => cancelRun(engine.core, tx, ENV, id, "not wanted"));
  await engine.emit("paid", {});
  engine.clock.advance(7_200_000);
  await engine.settle();
  expect(engine.run(id)).toMatchObject({ status: "cancelled", cancellation_cause: "not wanted" });
  expect(engine.steps(id)).toMatchObject([{ status: "dead" }]);
  expect(engine.core.store.timers.earliest(1)).toEqual([]);
  expect(engine.calls).toHaveLength(1);
});

it("fails a run that waits again for what is already there", async () => {
  await engine.define("loop", (request) => asleep(request, 0), { triggers: [{ event: "go" }] });
  const { runIds } = await engine.emit("go");
  const id = runIds[0] ?? "";
  await engine.until("sleep", () => engine.run(id).status === "waiting");
  engine.clock.advance(0);
  await engine.until("end", () => engine.run(id).status === "failed");
  expect(JSON.parse(engine.run(id).error ?? "")).toMatchObject({ code: "PROTOCOL_ERROR" });
});

it.each([
  ["a time that is none", { type: "sleep" as const, until: "soon" }, /yield.until/],
  [
    "a timeout that is none",
    { type: "wait_for_event" as const, event_filter: { event: "e", timeout: "a while" } },
    /timeout/,
  ],
  [
    "an expression that is none",
    { type: "wait_for_event" as const, event_filter: { event: "e", match: "data.x ==", timeout: "1s" } },
    /match/,
  ],
])("fails a run that yields %s", async (_, wanted, message) => {
  await engine.define("odd", (request) => yielded({ ...wanted, step_id: `${request.run_id}:w:0` }), {
    triggers: [{ event: "go" }],
  });
  const { runIds } = await engine.emit("go");
  const id = runIds[0] ?? "";
  await engine.until("end", () => engine.run(id).status === "failed");
  expect(JSON.parse(engine.run(id).error ?? "")).toMatchObject({ message: expect.stringMatching(message) });
  expect(engine.core.store.timers.earliest(1)).toEqual([]);
});

it("gives a parent its child's output, or the child's failure as an invoke error", async () => {
  await engine.define("child", (request) =>
    (request.event.data as { ok: boolean }).ok ? completed({ done: 1 }) : failed("child broke", false),
  );
  await engine.define(
    "parent",
    (request) => {
      const known = (request.steps ?? []).find(({ name }) => name === "child");
      if (known === undefined) {
        return yielded({
          type: "invoke_function",
          step_id: `${request.run_id}:child:0`,
          function_id: "child",
          input: request.event.data,
          invoke_timeout_ms: 30_000,
        });
      }
      return completed(known.status === "completed" ? known.output : JSON.parse(known.error ?? ""));
    },
    { triggers: [{ event: "go" }] },
  );
  const good = (await engine.emit("go", { ok: true })).runIds[0] ?? "";
  await engine.until("end", () => engine.run(good).status === "completed");
  expect(JSON.parse(engine.run(good).output ?? "")).toEqual({ done: 1 });
  const childId = engine.steps(good)[0]?.child_run_id ?? "";
  expect(engine.run(childId)).toMatchObject({ parent_run_id: good, depth: 1, status: "completed" });

  const bad = (await engine.emit("go", { ok: false })).runIds[0] ?? "";
  await engine.until("end", () => engine.run(bad).status === "completed");
  expect(JSON.parse(engine.run(bad).output ?? "")).toMatchObject({
    function_id: "child",
    cause: "child broke",
  });
});

it("gives a parent an invoke error when the child is unknown or too slow, and lets the slow child go on", async () => {
  let finish: (() => void) | undefined;
  await engine.define("slow", async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return completed("late");
  });
  await engine.define(
    "parent",
    (request) => {
      const { target } = request.event.data as { target: string };
      const known = (request.steps ?? []).find(({ name }) => name === target);
      return known === undefined
        ? yielded({
            type: "invoke_function",
            step_id: `${request.run_id}:${target}:0`,
            function_id: target,
            invoke_timeout_ms: 1_000,
          })
        : completed([known.status, JSON.parse(known.error ?? "")]);
    },
    { triggers: [{ event: "go" }] },
  );
  const unknown = (await engine.emit("go", { target: "nobody" })).runIds[0] ?? "";
  await engine.until("end", () => engine.run(unknown).status === "completed");
  expect(JSON.parse(engine.run(unknown).output ?? "")).toMatchObject([
    "failed",
    { cause: "function nobody not found" },
  ]);

  const slow = (await engine.emit("go", { target: "slow" })).runIds[0] ?? "";
  await engine.until("the child's call", () => finish !== undefined);
  engine.clock.advance(1_000);
  await engine.until("end", () => engine.run(slow).status === "completed");
  expect(JSON.parse(engine.run(slow).output ?? "")).toMatchObject(["timed_out", { cause: "timed out" }]);
  const childId = engine.steps(slow)[0]?.child_run_id ?? "";
  finish?.();
  await engine.until("the child's end", () => engine.run(childId).status === "completed");
});

it("goes on at once after an asynchronous invoke", async () => {
  await engine.define("child", () => completed());
  await engine.define(
    "parent",
    (request) =>
      isDone(request, "child")
        ? completed(outputOf(request, "child"))
        : yielded({
            type: "invoke_function_async",
            step_id: `${request.run_id}:child:0`,
            function_id: "child",
          }),
    { triggers: [{ event: "go" }] },
  );
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.until("end", () => engine.run(id).status === "completed");
  const { run_id: childId } = JSON.parse(engine.run(id).output ?? "") as { run_id: string };
  await engine.until("the child's end", () => engine.run(childId).status === "completed");
  expect(engine.run(childId).parent_step_id).toBeNull();
});

it("stops a function that invokes itself without end", async () => {
  await engine.define(
    "self",
    (request) =>
      isDone(request, "self")
        ? completed()
        : (request.steps ?? []).length > 0
          ? failed("child failed", false)
          : yielded({
              type: "invoke_function",
              step_id: `${request.run_id}:self:0`,
              function_id: "self",
              invoke_timeout_ms: 60_000,
            }),
    { triggers: [{ event: "go" }] },
  );
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.until("end", () => engine.run(id).status === "failed");
  expect(engine.core.store.runs.count(ENV, ["failed"])).toBe(33);
});
