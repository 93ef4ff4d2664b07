import { expectLike, expectThat, isText, isTime, isUnset } from "../like.ts";
import type { Row } from "../row.ts";
import type { Body, Target } from "../target.ts";

const service = "EntityStreamService";
const entityType = "order";

async function append(t: Target, entityId: string, n: number, more: Body = {}): Promise<Body> {
  return t.rpc(`${service}/AppendEvent`, {
    entityId,
    entityType,
    eventName: "order.changed",
    data: { n },
    expectedVersion: -1,
    ...more,
  });
}

/** A stream of so many events. */
async function streamOf(t: Target, count: number): Promise<string> {
  const entityId = t.name("order");
  for (let n = 1; n <= count; n += 1) await append(t, entityId, n);
  return entityId;
}

async function read(t: Target, message: Body): Promise<{ events: Body[]; totalCount: number }> {
  const { events, totalCount } = await t.rpc(`${service}/ReadStream`, message);
  return { events: (events ?? []) as Body[], totalCount: Number(totalCount ?? 0) };
}

const versions = (events: Body[]) => events.map((event) => Number(event["entityVersion"]));

/** Section 2.5. */
export const streamRows: Row[] = [
  {
    id: "2.5.append",
    mark: "S",
    title: "AppendEvent answers the stream's new version and the event's id; sequence is always 0",
    check: async (t) => {
      const entityId = t.name("order");
      const first = await append(t, entityId, 1, {
        expectedVersion: 0,
        metadata: { trace: "x" },
        version: 3,
      });
      expectLike(first, { entityVersion: "1", eventId: /^evt_/, sequence: isUnset });
      expectLike(await append(t, entityId, 2, { expectedVersion: "1" }), { entityVersion: "2" });
      expectLike(await t.get(`/api/v1/events/${String(first["eventId"])}`), {
        name: "order.changed",
        data: { n: 1 },
        metadata: { trace: "x" },
        entity_id: entityId,
        entity_type: entityType,
      });
    },
  },
  {
    id: "2.5.append.conflict",
    mark: "S",
    title: "another version than expected is aborted, 409; no expected version means a new stream",
    check: async (t) => {
      const entityId = await streamOf(t, 1);
      const message = { entityId, entityType, eventName: "order.changed", data: {} };
      await t.rpcFails(`${service}/AppendEvent`, message, "aborted");
      await t.rpcFails(`${service}/AppendEvent`, { ...message, expectedVersion: 7 }, "aborted");
      const raw = await t.raw("POST", `/ironflow.v1.${service}/AppendEvent`, { body: message });
      expectLike(raw.status, 409);
      expectLike((await read(t, { entityId })).totalCount, 1);
    },
  },
  {
    id: "2.5.append.race",
    mark: "S",
    title: "of many clients that expect one version exactly one appends, at every version",
    check: async (t) => {
      const entityId = t.name("race");
      let won = 0;
      const body = { entityId, entityType, eventName: "order.changed" };
      for (let version = 0; version < 5; version += 1) {
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, client) =>
            t.raw("POST", `/ironflow.v1.${service}/AppendEvent`, {
              body: { ...body, data: { client }, expectedVersion: version },
            }),
          ),
        );
        const wins = answers.filter(({ status }) => status === 200).length;
        expectThat(`one of 12 wins, ${wins} did`, wins === 1);
        expectThat("the others are told", answers.filter(({ status }) => status === 409).length === 11);
        won += wins;
      }
      const { events } = await read(t, { entityId });
      expectLike(versions(events), [1, 2, 3, 4, 5]);
      expectThat("nothing else was stored", won === events.length);
    },
  },
  {
    id: "2.5.append.idempotency",
    mark: "S",
    title: "a repeated idempotency key answers the first append, also to clients in parallel",
    check: async (t) => {
      const entityId = t.name("order");
      const idempotencyKey = t.name("key");
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => append(t, entityId, 1, { idempotencyKey, expectedVersion: 0 })),
      );
      for (const answer of answers)
        expectLike(answer, { entityVersion: "1", eventId: String(answers[0]?.["eventId"]) });
      expectLike((await read(t, { entityId })).totalCount, 1);
    },
  },
  {
    id: "2.5.append.routed",
    mark: "K",
    title: "an appended event starts the functions that its name triggers",
    check: async (t) => {
      const id = await t.define("appended", async ({ event }) => event.data);
      await append(t, t.name("order"), 5, { eventName: id });
      const run = await t.runOf(id);
      expectLike(await t.reaches(String(run["id"]), "completed"), { output: { n: 5 } });
    },
  },
  {
    id: "2.5.append.payload",
    mark: "G",
    title: "other JSON than an object travels as dataValue",
    check: async (t) => {
      const entityId = t.name("order");
      const message = { entityId, entityType, eventName: "order.tags", dataValue: ["a", null] };
      await t.rpc(`${service}/AppendEvent`, message);
      const { events } = await read(t, { entityId });
      expectLike(events, [{ dataValue: ["a", null], data: isUnset }]);
    },
  },
  {
    id: "2.5.append.type",
    mark: "I",
    title: "a stream keeps the type it began with",
    check: async (t) => {
      const entityId = await streamOf(t, 1);
      const message = { entityId, entityType: "invoice", eventName: "x", expectedVersion: -1 };
      await t.rpcFails(`${service}/AppendEvent`, message, "failed_precondition");
    },
  },
  {
    id: "2.5.read",
    mark: "S",
    title: "ReadStream pages forward and backward from a version",
    check: async (t) => {
      const entityId = await streamOf(t, 5);
      const all = await read(t, { entityId });
      expectLike(all, { totalCount: 5 });
      expectLike(versions(all.events), [1, 2, 3, 4, 5]);
      expectLike(all.events[0], { id: /^evt_/, name: "order.changed", data: { n: 1 }, timestamp: isTime });
      expectLike(versions((await read(t, { entityId, fromVersion: 2, limit: 2 })).events), [2, 3]);
      expectLike(versions((await read(t, { entityId, direction: "backward", limit: 2 })).events), [5, 4]);
      const back = await read(t, { entityId, direction: "backward", fromVersion: "3" });
      expectLike(versions(back.events), [3, 2, 1]);
    },
  },
  {
    id: "2.5.missing",
    mark: "S",
    title: "a stream that nobody began is not_found, in these words: stream not found",
    check: async (t) => {
      for (const method of ["GetStreamInfo", "ReadStream", "GetEntityHistory", "DeleteStream"]) {
        const text = await t.rpcFails(`${service}/${method}`, { entityId: t.name("none") }, "not_found");
        expectLike(text, "stream not found");
      }
    },
  },
  {
    id: "2.5.info",
    mark: "S",
    title: "GetStreamInfo answers version, count and times, int64 as texts",
    check: async (t) => {
      const entityId = await streamOf(t, 3);
      expectLike(await t.rpc(`${service}/GetStreamInfo`, { entityId }), {
        entityId,
        entityType,
        version: "3",
        eventCount: "3",
        createdAt: isTime,
        updatedAt: isTime,
        deleted: isUnset,
      });
    },
  },
  {
    id: "2.5.list",
    mark: "S",
    title: "ListStreams filters by type, finds by pattern and pages",
    check: async (t) => {
      const type = t.name("type");
      const ids = [t.name("a"), t.name("b"), t.name("c")];
      for (const entityId of ids) await append(t, entityId, 1, { entityType: type });
      const page = await t.rpc(`${service}/ListStreams`, { entityType: type, limit: 2 });
      expectLike(page, { streams: [{ entityType: type }, { entityType: type }], totalCount: 3 });
      const rest = await t.rpc(`${service}/ListStreams`, { entityType: type, limit: 2, offset: 2 });
      const seen = [...(page["streams"] as Body[]), ...(rest["streams"] as Body[])];
      expectLike(seen.map((one) => String(one["entityId"])).toSorted(), ids.toSorted());
      const found = await t.rpc(`${service}/ListStreams`, { search: (ids[1] ?? "").toUpperCase() });
      expectLike(found, { streams: [{ entityId: ids[1] ?? "" }], totalCount: 1 });
    },
  },
  {
    id: "2.5.history",
    mark: "S",
    title: "GetEntityHistory gives each event with the runs it caused and their steps",
    check: async (t) => {
      const id = await t.define("caused", async ({ steps }) => steps.run("ship", () => 1));
      const entityId = t.name("order");
      await append(t, entityId, 1);
      await append(t, entityId, 2, { eventName: id, version: 4 });
      await t.reaches(String((await t.runOf(id))["id"]), "completed");
      const history = await t.rpc(`${service}/GetEntityHistory`, { entityId });
      expectLike(history, {
        entries: [
          { eventName: "order.changed", eventData: { n: 1 }, entityVersion: "1", runs: isUnset },
          {
            eventName: id,
            schemaVersion: 4,
            source: isText,
            timestamp: isTime,
            runs: [
              {
                runId: /^run_/,
                functionId: id,
                status: "completed",
                startedAt: isTime,
                endedAt: isTime,
                steps: [{ name: "ship", stepType: "invoke", status: "completed" }],
              },
            ],
          },
        ],
        totalEvents: "2",
        nextCursor: isUnset,
        info: { entityId, entityType },
      });
    },
  },
  {
    id: "2.5.history.paging",
    mark: "S",
    title: "a history's nextCursor leads through all its events in both directions",
    check: async (t) => {
      const entityId = await streamOf(t, 5);
      for (const direction of ["forward", "backward"]) {
        const seen: number[] = [];
        let fromVersion = "0";
        do {
          const message = { entityId, direction, fromVersion, limit: 2 };
          const page = await t.rpc(`${service}/GetEntityHistory`, message);
          seen.push(...versions(page["entries"] as Body[]));
          fromVersion = isUnset(page["nextCursor"]) ? "0" : String(page["nextCursor"]);
        } while (fromVersion !== "0" && seen.length < 10);
        expectLike(seen, direction === "forward" ? [1, 2, 3, 4, 5] : [5, 4, 3, 2, 1]);
      }
    },
  },
  {
    id: "2.5.history.time",
    mark: "G",
    title: "fromTimestamp and toTimestamp bound a history",
    check: async (t) => {
      const entityId = await streamOf(t, 2);
      const of = async (bounds: Body) => {
        const page = await t.rpc(`${service}/GetEntityHistory`, { entityId, ...bounds });
        return ((page["entries"] ?? []) as Body[]).length;
      };
      expectLike(await of({ fromTimestamp: "2001-01-01T00:00:00Z" }), 2);
      expectLike(await of({ toTimestamp: "2001-01-01T00:00:00Z" }), 0);
    },
  },
  {
    id: "2.5.snapshot",
    mark: "S",
    title: "a snapshot is read as the newest, and as the newest at or below a version",
    check: async (t) => {
      const entityId = await streamOf(t, 4);
      await t.rpcFails(`${service}/GetSnapshot`, { entityId }, "not_found");
      for (const entityVersion of [2, "4"])
        expectLike(
          await t.rpc(`${service}/CreateSnapshot`, {
            entityId,
            entityType,
            entityVersion,
            state: { at: Number(entityVersion) },
          }),
          { snapshotId: isText },
        );
      expectLike(await t.rpc(`${service}/GetSnapshot`, { entityId }), {
        entityId,
        entityType,
        entityVersion: "4",
        state: { at: 4 },
        createdAt: isTime,
      });
      expectLike(await t.rpc(`${service}/GetSnapshot`, { entityId, beforeVersion: 3 }), {
        entityVersion: "2",
      });
      await t.rpcFails(`${service}/GetSnapshot`, { entityId, beforeVersion: 1 }, "not_found");
      const late = { entityId, entityType, entityVersion: 9, state: {} };
      await t.rpcFails(`${service}/CreateSnapshot`, late, "invalid_argument");
    },
  },
  {
    id: "2.5.snapshot.redact",
    mark: "M",
    title: "redacting an event of a stream drops the snapshots that were made of it",
    check: async (t) => {
      const entityId = t.name("order");
      await append(t, entityId, 1);
      const second = await append(t, entityId, 2);
      for (const entityVersion of [1, 2])
        await t.rpc(`${service}/CreateSnapshot`, { entityId, entityType, entityVersion, state: { n: 1 } });
      await t.rpc("RedactEvent", { eventId: String(second["eventId"]) });
      expectLike(await t.rpc(`${service}/GetSnapshot`, { entityId }), { entityVersion: "1" });
      expectLike((await read(t, { entityId, fromVersion: 2 })).events, [{ data: { $redacted: true } }]);
    },
  },
  {
    id: "2.5.delete",
    mark: "G",
    title: "DeleteStream appends the tombstone; further appends are refused, the events stay",
    check: async (t) => {
      const entityId = await streamOf(t, 2);
      await t.rpc(`${service}/CreateSnapshot`, { entityId, entityType, entityVersion: 2, state: { n: 1 } });
      expectLike(await t.rpc(`${service}/DeleteStream`, { entityId }), { entityVersion: "3" });
      const message = { entityId, entityType, eventName: "order.changed", expectedVersion: -1 };
      await t.rpcFails(`${service}/AppendEvent`, message, "failed_precondition");
      const { events } = await read(t, { entityId });
      expectLike(
        events.map((event) => event["name"]),
        ["order.changed", "order.changed", "$stream.deleted"],
      );
      await t.rpcFails(`${service}/GetSnapshot`, { entityId }, "not_found");
      expectLike(await t.rpc(`${service}/GetStreamInfo`, { entityId }), { deleted: true, version: "3" });
      const list = { search: entityId };
      expectLike(await t.rpc(`${service}/ListStreams`, list), { streams: isUnset });
      expectLike(await t.rpc(`${service}/ListStreams`, { ...list, includeDeleted: true }), {
        streams: [{ entityId, deleted: true }],
      });
    },
  },
  {
    id: "2.5.delete.purge",
    mark: "G",
    title: "purge also deletes every event below the tombstone, in the event list too",
    check: async (t) => {
      const entityId = t.name("order");
      const { eventId } = await append(t, entityId, 1);
      await append(t, entityId, 2);
      expectLike(await t.rpc(`${service}/DeleteStream`, { entityId, purge: true }), { entityVersion: "3" });
      const { events } = await read(t, { entityId });
      expectLike(events, [{ name: "$stream.deleted", entityVersion: "3" }]);
      await t.restFails("GET", `/api/v1/events/${String(eventId)}`, 404);
      expectLike(await t.rpc(`${service}/GetStreamInfo`, { entityId }), { version: "3", eventCount: "1" });
    },
  },
  {
    id: "2.5.delete.purge-in-use",
    mark: "I",
    title: "events that a run still works with are not purged",
    check: async (t) => {
      const id = await t.define("sleeper", async ({ steps }) => steps.sleep("nap", 3_600_000));
      const entityId = t.name("order");
      await append(t, entityId, 1, { eventName: id });
      const runId = String((await t.runOf(id))["id"]);
      await t.rpcFails(`${service}/DeleteStream`, { entityId, purge: true }, "failed_precondition");
      expectLike(await t.rpc(`${service}/GetStreamInfo`, { entityId }), { version: "1", deleted: isUnset });
      await t.rpc("CancelRun", { id: runId });
      await t.rpc(`${service}/DeleteStream`, { entityId, purge: true });
    },
  },
  {
    id: "2.5.rest",
    mark: "G",
    title: "era A: streams are listed, read, appended to and snapshot over REST",
    check: async (t) => {
      const entityId = t.name("rest/order");
      const path = `/api/v1/streams/${encodeURIComponent(entityId)}`;
      const type = t.name("type");
      const event = { entity_type: type, event_name: "order.changed", data: { n: 1 } };
      expectLike(await t.send("POST", `${path}/events`, { ...event, expected_version: 0 }), {
        entity_version: 1,
        event_id: /^evt_/,
        sequence: 0,
      });
      await t.restFails("POST", `${path}/events`, 409, { ...event, expected_version: 0 });
      await t.send("POST", `${path}/events`, event);
      expectLike(await t.get(`/api/v1/streams?entity_type=${type}`), {
        streams: [{ entity_id: entityId, version: 2, event_count: 2 }],
        count: 1,
        total_count: 1,
      });
      expectLike(await t.get(path), { entity_id: entityId, entity_type: type, created_at: isTime });
      expectLike(await t.get(`${path}/events?direction=backward&limit=1`), {
        events: [{ entity_version: 2, data: { n: 1 }, source: isText }],
        total_count: 2,
      });
      expectLike(await t.get(`${path}/history?limit=1`), {
        entries: [{ event_name: "order.changed", entity_version: 1, runs: [] }],
        next_cursor: 2,
        total_events: 2,
      });
      const snapshot = { entity_type: type, entity_version: 2, state: { n: 2 } };
      expectLike(await t.send("POST", `${path}/snapshots`, snapshot), { snapshot_id: isText });
      expectLike(await t.get(`${path}/snapshots?before_version=2`), { entity_version: 2, state: { n: 2 } });
      await t.restFails("GET", `${path}/snapshots?before_version=1`, 404);
      expectLike(await t.restFails("GET", "/api/v1/streams/nobody", 404), /stream not found/);
    },
  },
  {
    id: "2.5.run-streams",
    mark: "G",
    title: "a run's streams are those it appended to and the one its event belongs to",
    check: async (t) => {
      const other = t.name("stock");
      const entityId = t.name("order");
      const id = await t.define("appends", async ({ runId, steps }) =>
        steps.run("append", async () => {
          await t.send(
            "POST",
            `/ironflow.v1.${service}/AppendEvent`,
            { entityId: other, entityType: "stock", eventName: "stock.taken", data: {} },
            { "x-ironflow-run-id": runId },
          );
        }),
      );
      await append(t, entityId, 1, { eventName: id });
      const runId = String((await t.runOf(id))["id"]);
      await t.reaches(runId, "completed");
      const { entity_ids: ids } = (await t.get(`/api/v1/runs/${runId}/streams`)) as Body;
      expectLike((ids as string[]).toSorted(), [entityId, other].toSorted());
    },
  },
];
