import { expectLike, expectThat, isText } from "../like.ts";
import type { Row } from "../row.ts";
import type { Body, Target } from "../target.ts";

async function verdictOf(
  t: Target,
  question: Body,
  functionId: string,
): Promise<{ answer: Body; verdict: Body }> {
  const answer = await t.send("POST", "/api/v1/events/explain", question);
  const verdict = (answer["functions"] as Body[]).find((row) => row["function_id"] === functionId);
  if (verdict === undefined) throw new Error(`nothing is said about ${functionId}`);
  return { answer, verdict };
}

/** Why an event starts what it starts. The real engine's endpoint and fields are not public: this is the embedded one's. */
export const explainRows: Row[] = [
  {
    id: "2.4.explain.stored",
    mark: "U",
    title: "explains a stored event: the run it started",
    check: async (t) => {
      const id = await t.define("explained", async () => null);
      const { eventId, runIds } = await t.emit(id, {});
      const { answer, verdict } = await verdictOf(t, { event_id: eventId }, id);
      expectLike(answer, { event_id: eventId, event: id, stored: true });
      expectLike(verdict, { decision: "run", matched: true, reason: isText, run_id: runIds[0] });
    },
  },
  {
    id: "2.4.explain.proposed",
    mark: "U",
    title: "explains a proposed event by its data, and changes nothing",
    check: async (t) => {
      const event = t.name("proposed");
      const id = await t.define("vip", async () => null, { triggers: [{ event, expression: "data.n > 1" }] });
      expectLike((await verdictOf(t, { event, data: { n: 2 } }, id)).verdict, {
        decision: "run",
        matched: true,
      });
      expectLike((await verdictOf(t, { event, data: { n: 0 } }, id)).verdict, {
        decision: "not_matched",
        matched: false,
      });
      expectLike((await verdictOf(t, { event: t.name("other") }, id)).verdict, { decision: "not_matched" });
      expectLike(await t.rpc("ListRuns", { functionId: id }), { totalCount: undefined });
      expectLike(await t.get(`/api/v1/events?names=${event}`), { count: 0 });
    },
  },
  {
    id: "2.4.explain.paused",
    mark: "U",
    title: "says that a function is paused or archived",
    check: async (t) => {
      const id = await t.define("explained", async () => null);
      for (const status of ["paused", "archived"]) {
        await t.rpc("UpdateFunctionStatus", { id, status });
        expectLike((await verdictOf(t, { event: id }, id)).verdict, { decision: status });
      }
    },
  },
  {
    id: "2.4.explain.deduplicated",
    mark: "U",
    title: "says which event has used the idempotency key",
    check: async (t) => {
      const id = await t.define("explained", async () => null);
      const key = t.name("key");
      const { eventId } = await t.rpc("Emit", { event: id, data: {}, idempotencyKey: key });
      const { answer, verdict } = await verdictOf(t, { event: id, idempotency_key: key }, id);
      expectLike(answer, { deduplicated_by: String(eventId) });
      expectLike(verdict, { decision: "deduplicated" });
    },
  },
  {
    id: "2.4.explain.debounced",
    mark: "U",
    title: "says that a debounced function would wait",
    check: async (t) => {
      const id = await t.define("explained", async () => null, { debounce: { periodMs: 1_000 } });
      expectLike((await verdictOf(t, { event: id }, id)).verdict, { decision: "debounced", matched: true });
    },
  },
  {
    id: "2.4.explain.no-capacity",
    mark: "U",
    title: "says that a lane is full",
    check: async (t) => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      const id = await t.define("explained", () => gate, { concurrency: { limit: 1 } });
      const runId = await t.start(id);
      await t.reaches(runId, "running");
      const { verdict } = await verdictOf(t, { event: id }, id);
      open();
      expectLike(verdict, { decision: "no_capacity", matched: true });
      await t.reaches(runId, "completed");
    },
  },
  {
    id: "2.4.explain.waiting",
    mark: "U",
    title: "tells of the runs that wait for the event which of them go on",
    check: async (t) => {
      const paid = t.name("paid");
      const id = await t.define("waits", ({ steps }) =>
        steps.waitForEvent("payment", { event: paid, match: "data.order" }),
      );
      const [mine, other] = [await t.start(id, { order: "7" }), await t.start(id, { order: "8" })];
      for (const run of [mine, other]) await t.reaches(run, "waiting");
      const question = { event: paid, data: { order: "7" } };
      const before = await t.send("POST", "/api/v1/events/explain", question);
      expectLike(before, {
        waiting_total: 2,
        waiting: [
          { run_id: mine, function_id: id, kind: "wait", step: "payment", decision: "resume", matched: true },
          { run_id: other, decision: "not_matched", matched: false, reason: isText },
        ],
      });
      const { eventId } = await t.emit(paid, { order: "7" });
      await t.reaches(mine, "completed");
      expectLike(await t.send("POST", "/api/v1/events/explain", { event_id: eventId }), {
        waiting: [
          { run_id: mine, decision: "resumed", matched: true },
          { run_id: other, decision: "not_matched" },
        ],
      });
      await t.rpc("CancelRun", { id: other });
    },
  },
  {
    id: "2.4.explain.one-of",
    mark: "M",
    title: "takes exactly one of a stored event and a proposed name",
    check: async (t) => {
      await t.send("POST", "/api/v1/events/explain", { event: t.name("one") });
      await t.restFails("POST", "/api/v1/events/explain", 400, {});
      await t.restFails("POST", "/api/v1/events/explain", 400, { event: "a", event_id: "evt_b" });
      const text = await t.restFails("POST", "/api/v1/events/explain", 404, { event_id: "evt_none" });
      expectThat("a text", text !== "");
    },
  },
];
