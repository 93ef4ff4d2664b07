import { afterEach, beforeEach, expect, it } from "vitest";
import { completed, createHarness, ENV, isDone, yielded, type Harness } from "../testing/harness.ts";
import { explainEvent, type Explained } from "./explain.ts";
import { MAX_WAITS_TOLD } from "./explain-waits.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

/** A function whose runs wait for `paid`, decided by `match`. */
async function waits(id: string, match?: string): Promise<void> {
  await engine.define(
    id,
    (request) =>
      isDone(request, "payment")
        ? completed()
        : yielded({
            type: "wait_for_event",
            step_id: `${request.run_id}:payment:0`,
            event_filter: { event: "paid", timeout: "1h", ...(match === undefined ? {} : { match }) },
          }),
    { triggers: [{ event: `start.${id}` }] },
  );
}

async function start(id: string, data: unknown): Promise<string> {
  const run = (await engine.emit(`start.${id}`, data)).runIds[0] ?? "";
  await engine.until("the wait", () => engine.run(run).status === "waiting");
  return run;
}

const proposed = (data: unknown, key: string | null = null): Explained =>
  explainEvent(engine.core, {
    stored: false,
    id: "",
    environment_id: ENV,
    name: "paid",
    data: JSON.stringify(data),
    metadata: null,
    source: "api",
    timestamp: engine.clock.nowMs(),
    idempotency_key: key,
  });

const told = ({ waiting }: Explained) =>
  Object.fromEntries(waiting.map(({ run_id: run, decision, reason }) => [run, `${decision}: ${reason}`]));

it("tells of each run that waits for the event whether it goes on, and why", async () => {
  await waits("any");
  await waits("by-path", "data.order");
  await waits("by-expression", "data.cents > 100");
  await waits("broken", "data.none.x == 1");
  await engine.define("ends", () => new Promise(() => {}), {
    triggers: [{ event: "start.ends" }],
    cancelOn: [{ event: "paid", match: "data.order" }],
  });
  const any = await start("any", {});
  const mine = await start("by-path", { order: "o-1" });
  const other = await start("by-path", { order: "o-2" });
  const rich = await start("by-expression", {});
  const broken = await start("broken", {});
  const ended = (await engine.emit("start.ends", { order: "o-1" })).runIds[0] ?? "";

  const answer = proposed({ order: "o-1", cents: 5 });
  expect(answer.waiting_total).toBe(6);
  expect(told(answer)).toEqual({
    [any]: "resume: it lets the run go on: any event of this name will do",
    [mine]: 'resume: it lets the run go on: data.order is "o-1"',
    [ended]: 'cancel: it cancels the run: data.order is "o-1"',
    [other]: 'not_matched: data.order is "o-1", and the run waits for "o-2"',
    [rich]: "not_matched: the expression is false: data.cents > 100",
    [broken]: expect.stringMatching(/^invalid_expression: ./),
  });
  expect(answer.waiting.find(({ run_id: run }) => run === mine)).toMatchObject({
    function_id: "by-path",
    kind: "wait",
    step: "payment",
    match: "data.order",
    matched: true,
  });
  expect(answer.waiting.map(({ matched }) => matched)).toEqual([true, true, true, false, false, false]);
  // It only looked.
  expect(engine.run(any).status).toBe("waiting");
  expect(engine.core.store.deadLetters.list({ environmentId: ENV }, { limit: 10, offset: 0 }).total).toBe(0);
});

it("tells of a stored event which runs it let go on, and of a key that was used that nobody would", async () => {
  await waits("by-path", "data.order");
  const run = await start("by-path", { order: "o-1" });
  const { eventId } = await engine.emit("paid", { order: "o-1" }, "k");
  await engine.until("the end", () => engine.run(run).status === "completed");
  const stored = engine.core.store.events.get(ENV, eventId);
  if (stored === undefined) throw new Error("no event");
  const answer = explainEvent(engine.core, { ...stored, stored: true });
  expect([told(answer), answer.waiting_total]).toEqual([
    { [run]: "resumed: the event let the run go on" },
    1,
  ]);

  const next = await start("by-path", { order: "o-1" });
  expect(told(proposed({ order: "o-1" }, "k"))).toEqual({
    [next]: `deduplicated: the idempotency key was used by event ${eventId}`,
  });
});

it("tells of so many runs and no more, those that the event reaches first, and counts them all", async () => {
  await waits("by-path", "data.order");
  for (let order = 0; order <= MAX_WAITS_TOLD; order += 1) await start("by-path", { order });
  const answer = proposed({ order: MAX_WAITS_TOLD });
  expect([answer.waiting.length, answer.waiting_total]).toEqual([MAX_WAITS_TOLD, MAX_WAITS_TOLD + 1]);
  expect(answer.waiting.map(({ matched }) => matched).indexOf(true)).toBe(0);
  expect(answer.waiting.filter(({ matched }) => matched)).toHaveLength(1);
});
