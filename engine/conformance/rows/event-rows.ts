import { expectLike, expectThat, isArray, isNumber, isText, isTime, isUnset } from "../like.ts";
import { NotOffered, type Row } from "../row.ts";
import type { Body, Target } from "../target.ts";

const nothing = async () => null;

async function pageOf(t: Target, query: string): Promise<Body & { events: Body[] }> {
  return (await t.get(`/api/v1/events?${query}`)) as Body & { events: Body[] };
}

/** Five events of one fresh name, oldest first. */
async function five(t: Target): Promise<{ name: string; ids: string[] }> {
  const name = t.name("listed");
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push((await t.emit(name, { n })).eventId);
  return { name, ids };
}

/** Section 2.4. */
export const eventRows: Row[] = [
  {
    id: "2.4.emit",
    mark: "S",
    title: "Emit and Trigger answer the event's id and the runs it started",
    check: async (t) => {
      const id = await t.define("emitted", nothing);
      for (const method of ["Emit", "Trigger"]) {
        const answer = await t.rpc(method, {
          event: id,
          data: { a: 1 },
          metadata: { trace: "x" },
          version: 2,
        });
        expectLike(answer, { eventId: /^evt_/, runIds: [/^run_/] });
        expectLike(await t.get(`/api/v1/events/${String(answer["eventId"])}`), {
          data: { a: 1 },
          metadata: { trace: "x" },
        });
      }
    },
  },
  {
    id: "2.4.emit.nobody",
    mark: "S",
    title: "an event that nobody takes is stored all the same",
    check: async (t) => {
      const answer = await t.rpc("Emit", { event: t.name("lonely"), data: {} });
      expectLike(answer["runIds"], (value) => isUnset(value) || (value as unknown[]).length === 0);
      expectLike(await t.get(`/api/v1/events/${String(answer["eventId"])}`), {
        id: String(answer["eventId"]),
      });
    },
  },
  {
    id: "2.4.emit.idempotency",
    mark: "S",
    title: "a repeated idempotency key answers the first event and starts nothing more",
    check: async (t) => {
      const id = await t.define("once", nothing);
      const message = { event: id, data: { n: 1 }, idempotencyKey: t.name("key") };
      const first = await t.rpc("Emit", message);
      expectLike((await t.rpc("Emit", message))["eventId"], String(first["eventId"]));
      const runs = await t.rpc("ListRuns", { functionId: id });
      expectLike(runs["totalCount"], 1);
    },
  },
  {
    id: "2.4.emit.name",
    mark: "S",
    title: "an event name with white space or an empty segment is invalid_argument",
    check: async (t) => {
      for (const event of ["a b", "a..b", ""])
        await t.rpcFails("Emit", { event, data: {} }, "invalid_argument");
    },
  },
  {
    id: "2.4.pubsub-emit",
    mark: "S",
    title: "PubSubService/Emit emits an event too",
    check: async (t) => {
      const id = await t.define("bridged", nothing);
      expectLike(await t.rpc("PubSubService/Emit", { event: id, data: {} }), { eventId: /^evt_/ });
      await t.runOf(id);
    },
  },
  {
    id: "2.4.trigger-sync",
    mark: "S",
    title: "TriggerSync answers the results of the runs it started",
    check: async (t) => {
      const id = await t.define("sync", async ({ event }) => event.data);
      const answer = await t.rpc("TriggerSync", { event: id, data: { n: 1 }, timeoutMs: 15_000 });
      expectLike(answer, {
        eventId: /^evt_/,
        results: [{ functionId: id, runId: /^run_/, status: /completed$/i, output: { n: 1 } }],
      });
    },
  },
  {
    id: "2.4.trigger-batch",
    mark: "S",
    title: "TriggerBatch answers one response for each event, in order",
    check: async (t) => {
      const id = await t.define("batched", nothing);
      const answer = await t.rpc("TriggerBatch", {
        events: [
          { event: id, data: { n: 1 } },
          { event: t.name("lonely"), data: {} },
          { event: id, data: { n: 3 } },
        ],
      });
      expectLike(answer, { results: [{ runIds: [/^run_/] }, { eventId: /^evt_/ }, { runIds: [/^run_/] }] });
    },
  },
  {
    id: "2.4.rest.emit",
    mark: "S",
    title: "era A: POST /api/v1/events emits, with idempotency_key or idempotencyKey",
    check: async (t) => {
      const id = await t.define("rest", nothing);
      for (const field of ["idempotency_key", "idempotencyKey"]) {
        const body = { name: id, data: { n: 1 }, metadata: { a: "b" }, [field]: t.name("key") };
        const first = await t.send("POST", "/api/v1/events", body);
        expectLike(first, { event_id: /^evt_/, run_ids: [/^run_/] });
        expectLike(await t.send("POST", "/api/v1/events", body), { event_id: String(first["event_id"]) });
      }
    },
  },
  {
    id: "1.2.run-id",
    mark: "S",
    title: "an event emitted inside a run (X-Ironflow-Run-ID) names the run",
    check: async (t) => {
      const id = await t.define("emitter", async () => 1);
      const runId = await t.start(id);
      const { eventId } = await t.send(
        "POST",
        "/ironflow.v1.IronflowService/Emit",
        { event: t.name("inside"), data: {} },
        { "x-ironflow-run-id": runId },
      );
      expectLike(await t.get(`/api/v1/events/${String(eventId)}`), { run_id: runId });
    },
  },
  {
    id: "2.4.get",
    mark: "G",
    title: "an event is read with all its fields",
    check: async (t) => {
      const name = t.name("read");
      const key = t.name("key");
      const { eventId } = await t.rpc("Emit", {
        event: name,
        data: { a: [1] },
        idempotencyKey: key,
        metadata: { b: 2 },
      });
      expectLike(await t.get(`/api/v1/events/${String(eventId)}`), {
        id: String(eventId),
        name,
        timestamp: isTime,
        created_at: isTime,
        data: { a: [1] },
        source: isText,
        processed: (value) => typeof value === "boolean",
        metadata: { b: 2 },
        idempotency_key: key,
      });
    },
  },
  {
    id: "2.4.list",
    mark: "G",
    title: "events are listed newest first in their envelope",
    check: async (t) => {
      const { name, ids } = await five(t);
      const page = await pageOf(t, `name=${name}`);
      expectLike(page, { count: 5, limit: 20, has_next: false, has_prev: false });
      expectLike(
        page.events.map(({ id }) => id),
        ids.toReversed(),
        "ids",
      );
    },
  },
  {
    id: "1.5.events.cursor",
    mark: "G",
    title: "cursor walks to older events, before comes back to newer ones",
    check: async (t) => {
      const { name, ids } = await five(t);
      const order = ids.toReversed();
      const first = await pageOf(t, `name=${name}&limit=2`);
      expectLike(first, { has_next: true, has_prev: false, next_cursor: isText });
      const second = await pageOf(
        t,
        `name=${name}&limit=2&cursor=${encodeURIComponent(String(first["next_cursor"]))}`,
      );
      expectLike(
        second.events.map(({ id }) => id),
        order.slice(2, 4),
        "second page",
      );
      expectLike(second, { has_next: true, has_prev: true, prev_cursor: isText });
      const third = await pageOf(
        t,
        `name=${name}&limit=2&cursor=${encodeURIComponent(String(second["next_cursor"]))}`,
      );
      expectLike(
        third.events.map(({ id }) => id),
        order.slice(4),
        "third page",
      );
      expectLike(third, { has_next: false });
      const back = await pageOf(
        t,
        `name=${name}&limit=2&before=${encodeURIComponent(String(second["prev_cursor"]))}`,
      );
      expectLike(
        back.events.map(({ id }) => id),
        order.slice(0, 2),
        "back on the first page",
      );
    },
  },
  {
    id: "1.5.events.both-cursors",
    mark: "G",
    title: "cursor and before together are 400",
    check: async (t) => {
      const { name } = await five(t);
      const { next_cursor: cursor } = await pageOf(t, `name=${name}&limit=2`);
      const value = encodeURIComponent(String(cursor));
      await t.restFails("GET", `/api/v1/events?cursor=${value}&before=${value}`, 400);
    },
  },
  {
    id: "1.5.events.limit",
    mark: "G",
    title: "a limit above 200 is cut to 200",
    check: async (t) => {
      expectLike(await pageOf(t, "limit=5000"), { limit: 200 });
    },
  },
  {
    id: "1.5.events.total",
    mark: "G",
    title: "approx_total is a number or null",
    check: async (t) => {
      const { name } = await five(t);
      const { approx_total: total } = await pageOf(t, `name=${name}`);
      expectThat("5 or nothing", isUnset(total) || total === 5);
    },
  },
  {
    id: "2.4.list.names",
    mark: "M",
    title: "names is an exact comma list",
    check: async (t) => {
      const [a, b] = [t.name("names-a"), t.name("names-b")];
      for (const name of [a, b, `${a}x`]) await t.emit(name);
      const page = await pageOf(t, `names=${a},${b}`);
      expectLike(
        page.events.map(({ name }) => name),
        [b, a],
      );
    },
  },
  {
    id: "1.5.events.wildcards",
    mark: "M",
    title: "name is a case-insensitive pattern with % and _, and \\% \\_ \\\\ are literal",
    check: async (t) => {
      const stem = t.name("wild");
      for (const end of ["a_b", "axb", "a%b"]) await t.emit(`${stem}-${end}`);
      const found = async (pattern: string) =>
        (await pageOf(t, `name=${encodeURIComponent(pattern)}`)).events
          .map(({ name }) => String(name).slice(-3))
          .sort();
      expectLike(await found(`${stem}-a_b`), ["a%b", "a_b", "axb"]);
      expectLike(await found(`${stem}-a\\_b`), ["a_b"]);
      expectLike(await found(`${stem}-a\\%b`), ["a%b"]);
      expectLike(await found(`${stem.toUpperCase()}-%`), ["a%b", "a_b", "axb"]);
    },
  },
  {
    id: "2.4.list.search",
    mark: "M",
    title: "search finds an event by a part of its id",
    check: async (t) => {
      const { ids } = await five(t);
      const wanted = ids[2] ?? "";
      const page = await pageOf(t, `search=${wanted.slice(4).toUpperCase()}`);
      expectLike(
        page.events.map(({ id }) => id),
        [wanted],
      );
    },
  },
  {
    id: "2.4.list.since-until",
    mark: "G",
    title: "since and until bound the list",
    check: async (t) => {
      const { name } = await five(t);
      const past = "2001-01-01T00:00:00Z";
      expectLike(await pageOf(t, `name=${name}&since=${past}`), { count: 5 });
      expectLike(await pageOf(t, `name=${name}&until=${past}`), {
        count: 0,
        has_next: false,
        has_prev: false,
      });
      await t.restFails("GET", "/api/v1/events?since=yesterday", 400);
    },
  },
  {
    id: "2.4.list.source",
    mark: "G",
    title: "source filters the list",
    check: async (t) => {
      const { name, ids } = await five(t);
      const { source } = (await t.get(`/api/v1/events/${ids[0]}`)) as Body;
      expectLike(await pageOf(t, `name=${name}&source=${String(source)}`), { count: 5 });
      expectLike(await pageOf(t, `name=${name}&source=no-such-source`), { count: 0 });
    },
  },
  {
    id: "2.4.names",
    mark: "G",
    title: "GET /api/v1/events/names counts the names",
    check: async (t) => {
      const { name } = await five(t);
      // A server without this route may take "names" for the id of an event.
      if ((await t.raw("GET", "/api/v1/events/names")).status === 404)
        throw new NotOffered("GET /events/names: 404");
      const answer = (await t.get("/api/v1/events/names")) as Body;
      expectLike(answer, {
        names: isArray,
        scanned: isNumber,
        scan_cap: isNumber,
        truncated: (v) => typeof v === "boolean",
      });
      const row = (answer["names"] as Body[]).find((one) => one["name"] === name);
      expectLike(row, { name, count: 5 });
    },
  },
  {
    id: "2.4.redact",
    mark: "G",
    title: "RedactEvent puts the placeholder where the payload was",
    check: async (t) => {
      const name = t.name("redacted");
      const { eventId } = await t.emit(name, { secret: "sesame" });
      expectLike(await t.rpc("RedactEvent", { eventId }), {});
      expectLike(await t.get(`/api/v1/events/${eventId}`), {
        data: { $redacted: true, sha256: /^[0-9a-f]{64}$/, redactedAt: isTime },
      });
      const { text } = await t.raw("GET", `/api/v1/events?name=${name}`);
      expectThat("nothing of it is left in the list", !text.includes("sesame"));
    },
  },
  {
    id: "2.4.redact.runs",
    mark: "M",
    title: "RedactEvent does not reach the runs that the event started",
    check: async (t) => {
      const fn = await t.define("keeps", async () => null);
      const { eventId, runIds } = await t.emit(fn, { kept: "sesame" });
      await t.reaches(runIds[0] ?? "", "completed");
      await t.rpc("RedactEvent", { eventId });
      expectLike(await t.run(runIds[0] ?? ""), { input: { kept: "sesame" } });
    },
  },
  {
    id: "2.4.redact.missing",
    mark: "G",
    title: "RedactEvent of nobody is not_found",
    check: async (t) => {
      await t.rpcFails("RedactEvent", { eventId: "evt_none" }, "not_found");
    },
  },
];
