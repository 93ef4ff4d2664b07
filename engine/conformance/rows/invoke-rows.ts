import { poll } from "../../../loopback/testing/poll.ts";
import { expectLike, expectThat, isText } from "../like.ts";
import type { Row } from "../row.ts";
import { WAIT_MS, type Body, type Target } from "../target.ts";

const nothing = async () => null;
const byText = (a: string, b: string) => (a < b ? -1 : 1);

async function runsOf(t: Target, functionId: string): Promise<Body[]> {
  return ((await t.rpc("ListRuns", { functionId }))["runs"] ?? []) as Body[];
}

/** Section 2.3: what starts a run, holds it back and ends it: triggers, lanes, debounce, cancelOn, invoke. */
export const invokeRows: Row[] = [
  {
    id: "2.3.trigger.pattern",
    mark: "S",
    title: "a trigger may be a pattern: * is one token, > is the rest",
    check: async (t) => {
      const stem = t.name("shop");
      const star = await t.define("star", nothing, { triggers: [{ event: `${stem}.*` }] });
      const rest = await t.define("rest", nothing, { triggers: [{ event: `${stem}.>` }] });
      expectThat("both for one token", (await t.emit(`${stem}.placed`)).runIds.length === 2);
      expectThat("one for two tokens", (await t.emit(`${stem}.order.placed`)).runIds.length === 1);
      expectThat("none for no token", (await t.emit(stem)).runIds.length === 0);
      expectThat("as listed", (await runsOf(t, star)).length === 1 && (await runsOf(t, rest)).length === 2);
    },
  },
  {
    id: "2.3.trigger.expression",
    mark: "S",
    title: "a trigger's expression decides over the event's data",
    check: async (t) => {
      const event = t.name("paid");
      await t.define("big", nothing, { triggers: [{ event, expression: "data.amount > 100" }] });
      expectThat("a small one starts nothing", (await t.emit(event, { amount: 5 })).runIds.length === 0);
      expectThat("a big one starts one", (await t.emit(event, { amount: 500 })).runIds.length === 1);
    },
  },
  {
    id: "2.3.trigger.several",
    mark: "I",
    title: "two triggers of one function that take the same event start one run",
    check: async (t) => {
      const event = t.name("both");
      await t.define("twice", nothing, { triggers: [{ event }, { event }] });
      expectThat("one run", (await t.emit(event)).runIds.length === 1);
    },
  },
  {
    id: "2.3.trigger.cron",
    mark: "S",
    title: "a cron trigger is registered and shown",
    check: async (t) => {
      const id = t.name("cron");
      const answer = await t.rpc("RegisterFunction", {
        id,
        endpointUrl: t.functions.endpoint(id),
        triggers: [{ cron: "0 3 * * *" }],
      });
      expectLike(answer, { function: { triggers: [{ cron: "0 3 * * *" }] } });
      await t.rpcFails(
        "RegisterFunction",
        { id, endpointUrl: t.functions.endpoint(id), triggers: [{ cron: "every day" }] },
        "invalid_argument",
      );
    },
  },
  {
    id: "2.3.concurrency",
    mark: "S",
    title: "concurrency.limit holds runs back as waiting_for_capacity, and every one comes to its turn",
    check: async (t) => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      let atOnce = 0;
      let most = 0;
      const id = await t.define(
        "lane",
        async () => {
          most = Math.max(most, (atOnce += 1));
          await gate;
          atOnce -= 1;
        },
        { concurrency: { limit: 1 } },
      );
      const ids = [await t.start(id), await t.start(id), await t.start(id)];
      await poll("the first call", () => atOnce === 1, WAIT_MS);
      const statuses = await Promise.all(ids.map(async (runId) => (await t.run(runId))["status"]));
      open();
      expectLike(statuses.map(String).toSorted(byText), [
        "RUN_STATUS_RUNNING",
        "RUN_STATUS_WAITING_FOR_CAPACITY",
        "RUN_STATUS_WAITING_FOR_CAPACITY",
      ]);
      for (const runId of ids) await t.reaches(runId, "completed");
      expectThat("never two at once", most === 1);
    },
  },
  {
    id: "2.3.concurrency.key",
    mark: "S",
    title: "concurrency.key gives each value a lane of its own",
    check: async (t) => {
      const atOnce = new Map<string, number>();
      let open = () => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      const id = await t.define(
        "lanes",
        async ({ event }) => {
          const { lane } = event.data as { lane: string };
          atOnce.set(lane, (atOnce.get(lane) ?? 0) + 1);
          await gate;
        },
        { concurrency: { limit: 1, key: "data.lane" } },
      );
      const ids = [];
      for (const lane of ["a", "a", "b"]) ids.push(await t.start(id, { lane }));
      await poll("both lanes to be under way", () => atOnce.size === 2, WAIT_MS);
      const waiting = await t.run(ids[1] ?? "");
      const most = Math.max(...atOnce.values());
      open();
      expectLike(waiting["status"], "RUN_STATUS_WAITING_FOR_CAPACITY");
      expectThat("one call for each lane", most === 1);
      for (const runId of ids) await t.reaches(runId, "completed");
    },
  },
  {
    id: "2.3.debounce",
    mark: "S",
    title: "debounce makes one run of several events, with the data of the last",
    check: async (t) => {
      const id = await t.define("debounced", async ({ event }) => event.data, {
        // Far longer than what lies between two calls, also from a machine that is busy.
        debounce: { periodMs: 4_000 },
      });
      for (const n of [1, 2, 3]) await t.emit(id, { n });
      const { id: runId } = await t.runOf(id);
      expectLike(await t.reaches(String(runId), "completed"), { output: { n: 3 } });
      expectThat("one run", (await runsOf(t, id)).length === 1);
    },
  },
  {
    id: "2.3.debounce.minimum",
    mark: "S",
    title: "a debounce below 1000 ms is invalid_argument",
    check: async (t) => {
      const message = {
        id: t.name("hasty"),
        endpointUrl: "http://127.0.0.1:1/",
        debounce: { periodMs: 999 },
      };
      expectLike(await t.rpcFails("RegisterFunction", message, "invalid_argument"), /debounce/i);
    },
  },
  {
    id: "2.3.cancel-on",
    mark: "S",
    title: "cancelOn ends the runs that its match names, and tells the cause",
    check: async (t) => {
      const stop = t.name("order-cancelled");
      const id = await t.define("cancellable", ({ steps }) => steps.sleep("long", 3_600_000), {
        cancelOn: [{ event: stop, match: "data.order" }],
      });
      const [hit, other] = [await t.start(id, { order: "1" }), await t.start(id, { order: "2" })];
      await t.reaches(hit, "waiting");
      await t.reaches(other, "waiting");
      await t.emit(stop, { order: "1" });
      expectLike(await t.reaches(hit, "cancelled"), { cancellationCause: "cancel-on-event" });
      expectLike(await t.run(other), { status: "RUN_STATUS_WAITING" });
      await t.rpc("CancelRun", { id: other });
    },
  },
  {
    id: "2.3.rest.invoke",
    mark: "G",
    title: "era A: POST /functions/{id}/invoke starts a run, once per Idempotency-Key",
    check: async (t) => {
      const id = await t.define("invoked", async ({ event }) => event.data);
      const path = `/api/v1/functions/${id}/invoke`;
      const headers = { "idempotency-key": t.name("key") };
      const first = await t.send("POST", path, { data: { n: 1 } }, headers);
      expectLike(first, { run_id: isText, event_id: isText });
      expectLike(await t.send("POST", path, { data: { n: 1 } }, headers), {
        run_id: String(first["run_id"]),
      });
      expectLike(await t.reaches(String(first["run_id"]), "completed"), { output: { n: 1 } });
    },
  },
  {
    id: "2.3.invoke",
    mark: "G",
    title: "InvokeFunction starts a run, and a repeated key answers the same one",
    check: async (t) => {
      const id = await t.define("invoked", async ({ event }) => event.data);
      const message = { functionId: id, data: { n: 1 }, idempotencyKey: t.name("key") };
      const first = await t.rpc("InvokeFunction", message);
      expectLike(first, { runId: /^run_/, eventId: /^evt_/ });
      expectLike(await t.rpc("InvokeFunction", message), { runId: String(first["runId"]) });
      await t.reaches(String(first["runId"]), "completed");
      await t.rpcFails("InvokeFunction", { functionId: t.name("nobody") }, "not_found");
    },
  },
  {
    id: "2.3.invoke-sync",
    mark: "G",
    title: "InvokeFunctionSync answers the run's result",
    check: async (t) => {
      const id = await t.define("sync", ({ steps }) => steps.run("add", () => 3));
      const answer = await t.rpc("InvokeFunctionSync", { functionId: id, data: {}, timeoutMs: 15_000 });
      expectLike(answer, {
        result: {
          runId: /^run_/,
          functionId: id,
          status: /completed$/i,
          outputValue: 3,
          waitTimedOut: undefined,
        },
      });
    },
  },
  {
    id: "2.3.invoke-sync.timeout",
    mark: "G",
    title: "InvokeFunctionSync says that the wait timed out, and the run goes on",
    check: async (t) => {
      const id = await t.define("slow", ({ steps }) => steps.sleep("nap", 1_500));
      const answer = await t.rpc("InvokeFunctionSync", { functionId: id, timeoutMs: 300 });
      expectLike(answer, { result: { waitTimedOut: true, runId: /^run_/ } });
      await t.reaches(String((answer["result"] as Body)["runId"]), "completed");
    },
  },
];
