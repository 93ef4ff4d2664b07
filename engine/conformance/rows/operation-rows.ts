import { poll } from "../../../loopback/testing/poll.ts";
import { expectLike, expectThat, isArray, isNumber, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import { WAIT_MS, type Body, type Target } from "../target.ts";

/** A function whose endpoint has failed often enough, its breaker, and a way to bring it up. */
async function openBreaker(t: Target): Promise<{ id: string; breaker: Body; repair: () => void }> {
  let up = false;
  const id = await t.define(
    "ship",
    { status: () => (up ? 204 : 503) },
    { retry: { maxAttempts: 5, initialDelayMs: 20, backoffFactor: 1 } },
  );
  await t.start(id);
  const breaker = await poll(
    "its breaker to open",
    async () => {
      const row = await breakerOf(t, id);
      return row?.["state"] === "open" && row;
    },
    WAIT_MS,
  );
  return { id, breaker, repair: () => (up = true) };
}

async function breakerOf(t: Target, functionId: string): Promise<Body | undefined> {
  const rows = (await t.get("/api/v1/circuit-breakers")) as Body[];
  return rows.find((row) => row["function_id"] === functionId);
}

/** Section 2.11 and, where nothing is public, what the embedded engine decided. */
export const operationRows: Row[] = [
  {
    id: "2.11.breakers.open",
    mark: "G",
    title: "a breaker opens after five failures in a row and is in the bare list",
    check: async (t) => {
      const { id, breaker } = await openBreaker(t);
      expectLike(breaker, {
        key: isText,
        function_id: id,
        endpoint: t.functions.endpoint(id),
        state: "open",
        consecutive_fails: 5,
        last_failure: isTime,
      });
    },
  },
  {
    id: "2.11.breakers.deferred",
    mark: "K",
    title: "runs behind an open breaker wait, without an error and without a call",
    check: async (t) => {
      const { id } = await openBreaker(t);
      const before = t.functions.received.filter(({ body }) => body.includes(`"function_id":"${id}"`)).length;
      const runId = await t.start(id);
      const run = await t.run(runId);
      expectLike(run, { status: /WAITING/, error: undefined });
      const after = t.functions.received.filter(({ body }) => body.includes(`"function_id":"${id}"`)).length;
      expectThat("no further call", before === after);
      await t.rpc("CancelRun", { id: runId });
    },
  },
  {
    id: "2.11.breakers.reset",
    mark: "G",
    title:
      "a reset by the key of the list, percent-encoded, answers the closed breaker and lets deferred runs go",
    check: async (t) => {
      const { id, breaker, repair } = await openBreaker(t);
      const runId = await t.start(id);
      repair();
      const calls = t.functions.received.length;
      const path = `/api/v1/circuit-breakers/${encodeURIComponent(String(breaker["key"]))}/reset`;
      expectLike(await t.send("POST", path, undefined), {
        key: String(breaker["key"]),
        state: "closed",
        consecutive_fails: 0,
      });
      await poll(
        "the deferred run's call",
        () => t.functions.received.slice(calls).some(({ body }) => body.includes(runId)),
        WAIT_MS,
      );
    },
  },
  {
    id: "2.11.breakers.reason",
    mark: "M",
    title: "the reason of the last failure survives the reset",
    check: async (t) => {
      const { id, breaker } = await openBreaker(t);
      expectLike(breaker["last_failure_reason"], isText);
      await t.send(
        "POST",
        `/api/v1/circuit-breakers/${encodeURIComponent(String(breaker["key"]))}/reset`,
        undefined,
      );
      expectLike(await breakerOf(t, id), { last_failure_reason: String(breaker["last_failure_reason"]) });
    },
  },
  {
    id: "2.11.breakers.unknown",
    mark: "U",
    title: "a reset of a key that nobody has is 404",
    check: async (t) => {
      await t.restFails("POST", "/api/v1/circuit-breakers/no%3Asuch%3Akey/reset", 404);
    },
  },
  {
    id: "2.11.dead-letters",
    mark: "U",
    title: "an event whose routing failed is a dead letter with its bytes in base64",
    check: async (t) => {
      const event = t.name("unjudged");
      await t.define("judge", async () => null, {
        triggers: [{ event, expression: "data.customer.tier == 'gold'" }],
      });
      const { eventId } = await t.emit(event, { note: "grüße" });
      const page = (await t.get("/api/v1/dead-letters?env=default&source=routing&limit=50")) as Body;
      expectLike(page, { items: isArray, total: isNumber });
      const row = (page["items"] as Body[]).find((one) => one["event_id"] === eventId);
      expectLike(row, { source: "routing", error: isText, created_at: isTime });
      expectLike(Buffer.from(String(row?.["payload"]), "base64").toString("utf8"), '{"note":"grüße"}');
    },
  },
  {
    id: "2.11.dead-letters.limits",
    mark: "M",
    title: "dead letters take a limit of 1 to 500 and an offset of 0 to 10000",
    check: async (t) => {
      await t.get("/api/v1/dead-letters?env=default&limit=500&offset=10000");
      await t.restFails("GET", "/api/v1/dead-letters?env=default&limit=501", 400);
      await t.restFails("GET", "/api/v1/dead-letters?env=default&limit=0", 400);
      await t.restFails("GET", "/api/v1/dead-letters?env=default&offset=10001", 400);
    },
  },
  {
    id: "2.11.outbox",
    mark: "G",
    title: "the outbox's dead letters are a page of items",
    check: async (t) => {
      expectLike(await t.get("/api/v1/outbox/dead-letter?env=default&limit=10"), {
        items: isArray,
        limit: 10,
      });
    },
  },
  {
    id: "2.11.outbox-unknown",
    mark: "I",
    title: "requeue and discard of an event that has no dead delivery are 404",
    check: async (t) => {
      const path = "/api/v1/outbox/dead-letter/evt_nobody";
      await t.restFails("POST", `${path}/requeue?env=default`, 404, {});
      await t.restFails("DELETE", `${path}?env=default`, 404);
    },
  },
  {
    id: "2.14.debounce-delete",
    mark: "G",
    title: "DELETE of a debounce entry forgets the event: no run starts",
    check: async (t) => {
      const id = await t.define("debounced", async () => null, {
        debounce: { periodMs: 3_600_000, key: "data.user" },
      });
      await t.emit(id, { user: "u1" });
      const { entries } = (await t.get("/api/v1/debounce/entries")) as { entries: Body[] };
      const entry = entries.find((one) => one["function_id"] === id);
      const path = ["default", id, String(entry?.["key"])].map(encodeURIComponent).join("/");
      await t.send("DELETE", `/api/v1/debounce/entries/${path}`, undefined);
      await t.restFails("DELETE", `/api/v1/debounce/entries/${path}`, 404);
      const left = (await t.get("/api/v1/debounce/entries")) as { entries: Body[] };
      expectThat("it is gone", !left.entries.some((one) => one["function_id"] === id));
    },
  },
  {
    id: "2.14.debounce-entries",
    mark: "G",
    title: "GET /api/v1/debounce/entries answers what is being held back",
    check: async (t) => {
      const id = await t.define("debounced", async () => null, { debounce: { periodMs: 4_000 } });
      await t.emit(id);
      const { text } = await t.raw("GET", "/api/v1/debounce/entries");
      await t.get("/api/v1/debounce/entries");
      expectThat("it names the function", text.includes(id));
    },
  },
];
