import { expectLike, isArray, isNumber, isText, isTime, isUnset } from "../like.ts";
import type { Row } from "../row.ts";
import { openStream } from "../stream-client.ts";
import type { Body } from "../target.ts";
import { rpc, fails, define, pollEvents, numbersOf, work, emitNumbers, status } from "./projection-work.ts";

/** Sections 2.6 and 2.11: streams, waits, history, REST, and events that cannot be decoded. */
export const projectionWaitRows: Row[] = [
  {
    id: "2.6.streams",
    mark: "K",
    title: "appended events feed projections too",
    check: async (t) => {
      const { name, event } = await define(t, "entities", { partitionKey: "entity_id" });
      const entityId = t.name("order");
      const append = { entityId, entityType: "order", eventName: event, data: { n: 1 } };
      await t.rpc("EntityStreamService/AppendEvent", append);
      expectLike((await pollEvents(t, { name })).events, [{ metadata: { __partition: entityId } }]);
    },
  },
  {
    id: "2.6.stream",
    mark: "S",
    title: "StreamProjectionEvents sends events as they come, and heartbeats only to who asked for them",
    check: async (t) => {
      const { name, event } = await define(t, "streamed", { mode: "external" });
      await emitNumbers(t, event, 1);
      const stream = await openStream(t, "ProjectionService/StreamProjectionEvents", { name, batchSize: 10 });
      try {
        expectLike(await stream.next(), { name: event, data: { n: 1 }, seq: isText });
        await emitNumbers(t, event, 2);
        expectLike(await stream.next(), { data: { n: 2 }, kind: "PROJECTION_EVENT_KIND_EVENT" });
      } finally {
        stream.close();
      }
    },
  },
  {
    id: "2.6.wait",
    mark: "S",
    title: "WaitProjectionCatchup answers when the projection has the event, or that the time is over",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      const [eventId = ""] = await emitNumbers(t, event, 1);
      const { events } = await pollEvents(t, { name });
      const minSeq = String(events[0]?.["seq"]);
      expectLike(await rpc(t, "WaitProjectionCatchup", { name, minSeq, timeout: "0.05s" }), {
        caughtUp: isUnset,
        timedOut: true,
        targetSeq: minSeq,
        behindByEvents: isText,
        mode: "managed",
        rebuilding: isUnset,
      });
      const waiting = Promise.all([
        rpc(t, "WaitProjectionCatchup", { name, minSeq, timeout: "15s" }),
        rpc(t, "WaitForEvent", { eventId, projection: name, timeout: "15s" }),
      ]);
      await work(t, name);
      for (const answer of await waiting)
        expectLike(answer, { caughtUp: true, timedOut: isUnset, targetSeq: minSeq, behindByEvents: isUnset });
      expectLike(await rpc(t, "WaitProjectionCatchup", { name }), { caughtUp: true });
      await fails(t, "WaitForEvent", { eventId: "evt_none", projection: name }, "not_found");
    },
  },
  {
    id: "2.6.wait.batch",
    mark: "S",
    title:
      "WaitProjectionCatchupBatch answers 1 to 16 items in order, with an error for the one that has one",
    check: async (t) => {
      const { name } = await define(t, "sum");
      const items = [{ name, minSeq: 0 }, { name: "nobody" }];
      expectLike(await rpc(t, "WaitProjectionCatchupBatch", { items, timeout: "1s" }), {
        results: [{ result: { caughtUp: true } }, { error: /projection not found/ }],
      });
      const many = Array.from({ length: 17 }, () => ({ name }));
      await fails(t, "WaitProjectionCatchupBatch", { items: many }, "invalid_argument");
    },
  },
  {
    id: "2.6.wait.stream",
    mark: "S",
    title: "WaitProjectionCatchupStream ends with a DONE frame",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1, 2);
      const { events } = await pollEvents(t, { name });
      const minSeq = String(events[1]?.["seq"]);
      const stream = await openStream(t, "ProjectionService/WaitProjectionCatchupStream", {
        name,
        minSeq,
        timeout: "15s",
      });
      try {
        await work(t, name, 1);
        expectLike(await stream.next(), { kind: "WAIT_STREAM_FRAME_KIND_PROGRESS", targetSeq: minSeq });
        await work(t, name, 1);
        expectLike(await stream.next(), { kind: "WAIT_STREAM_FRAME_KIND_DONE", caughtUp: true });
      } finally {
        stream.close();
      }
    },
  },
  {
    id: "2.6.stream.flow",
    mark: "I",
    title: "a stream that is acknowledged goes on to the last event, each one once",
    check: async (t) => {
      const { name, event } = await define(t, "streamed", { mode: "external" });
      const numbers = Array.from({ length: 40 }, (_, n) => n);
      await emitNumbers(t, event, ...numbers);
      const stream = await openStream(t, "ProjectionService/StreamProjectionEvents", { name, batchSize: 4 });
      try {
        const seen: Body[] = [];
        while (seen.length < numbers.length) {
          const next = await stream.next();
          seen.push(next);
          if (seen.length % 4 === 0)
            await rpc(t, "AckProjectionEvents", { name, lastEventId: next["id"], lastEventSeq: next["seq"] });
        }
        expectLike(numbersOf(seen), numbers);
      } finally {
        stream.close();
      }
    },
  },
  {
    id: "2.6.history",
    mark: "G",
    title: "changed definitions are kept, newest first, and read by revision",
    check: async (t) => {
      const { name, event } = await define(t, "changed");
      const other = t.name("other");
      const message = { name, events: [event, other], version: 2, mode: "managed" };
      await rpc(t, "RegisterProjection", { ...message, changeReason: "more events" });
      await rpc(t, "RegisterProjection", { ...message, version: 3 });
      expectLike(await rpc(t, "ListProjectionHistory", { name, limit: 1 }), {
        entries: [{ revision: "2", previousDefinition: { version: 2, events: [event, other] } }],
        hasMore: true,
        nextBeforeRevision: "2",
      });
      expectLike(await rpc(t, "GetProjectionRevision", { name, revision: 1 }), {
        entry: {
          revision: "1",
          previousDefinition: { name, events: [event], mode: "managed" },
          changeReason: "more events",
          changeType: isText,
          recordedAt: isTime,
        },
      });
      await fails(t, "GetProjectionRevision", { name, revision: 9 }, "not_found");
    },
  },
  {
    id: "2.6.unregister",
    mark: "S",
    title: "an unregistered projection is gone with its state; one of its name begins anew",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 5);
      await work(t, name);
      expectLike(await rpc(t, "UnregisterProjection", { name }), {});
      await fails(t, "GetProjection", { name }, "not_found");
      await rpc(t, "RegisterProjection", { name, events: [event], mode: "managed" });
      expectLike(await rpc(t, "GetProjection", { name }), { state: isUnset });
      await work(t, name);
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 5 } });
    },
  },
  {
    id: "2.11.projection-decode",
    mark: "M",
    title: "an event whose partition cannot be told is a dead letter, and the others go on",
    check: async (t) => {
      const { name, event } = await define(t, "by-customer", { partitionKey: "data.customer" });
      await t.emit(event, { n: 0, customer: "ada" });
      const bad = await t.emit(event, { n: 1, customer: { name: "bob" } });
      await t.emit(event, { n: 2, customer: "ada" });
      const first = await pollEvents(t, { name });
      expectLike(numbersOf(first.events), [0]);
      const save = { name, partitionKey: "ada", state: {} };
      await rpc(t, "SaveProjectionState", { ...save, lastEventSeq: first.events[0]?.["seq"] });
      expectLike(numbersOf((await pollEvents(t, { name })).events), [2]);
      const page = (await t.get(
        "/api/v1/dead-letters?env=default&source=projection_decode&limit=500",
      )) as Body;
      const letters = (page["items"] as Body[]).filter((one) => one["event_id"] === bad.eventId);
      expectLike(letters, [{ subject: `projection:${name}`, error: /partition key/ }]);
      expectLike(await status(t, name), { status: "active", errorMessage: new RegExp(bad.eventId) });
    },
  },
  {
    id: "2.6.rest",
    mark: "G",
    title: "era A: projections are listed, read, waited for, paused and rebuilt over REST",
    check: async (t) => {
      const { name, event } = await define(t, "rest");
      const [eventId = ""] = await emitNumbers(t, event, 1, 2);
      const path = `/api/v1/projections/${name}`;
      expectLike(await t.get(path), { name, mode: "managed", status: "active", state: null });
      await work(t, name);
      expectLike(await t.get(path), {
        state: { projection_name: name, partition_key: "__global__", state: { sum: 3 }, version: 1 },
      });
      expectLike(await t.get("/api/v1/projections?mode=managed&limit=1000"), {
        projections: isArray,
        count: isNumber,
      });
      expectLike(await t.get(`${path}/status`), { name, status: "active", last_event_seq: isNumber });
      expectLike(await t.get(`${path}/catchup?minSeq=1&timeout=1000`), {
        caughtUp: true,
        currentSeq: isNumber,
      });
      const wait = { eventId, projection: name, timeout: 1000 };
      expectLike(await t.send("POST", "/api/v1/projections/wait-for-event", wait), { caughtUp: true });
      const batch = { items: [{ name, minSeq: 1 }], timeout: 1000 };
      expectLike(await t.send("POST", "/api/v1/projections/catchup/batch", batch), {
        results: [{ result: { caughtUp: true } }],
      });
      expectLike(await t.get(`${path}/rebuild`), { job: null });
      expectLike(await t.send("POST", `${path}/rebuild`, { dryRun: true }), { job: { total_events: 2 } });
      expectLike(await t.send("POST", `${path}/rebuild`, {}), {
        job: { status: "running", total_events: 2 },
      });
      expectLike(await t.send("POST", `${path}/cancel`, undefined), { status: "cancelled" });
      expectLike(await t.send("POST", `${path}/pause`, undefined), { status: "paused" });
      expectLike(await t.send("POST", `${path}/resume`, undefined), { status: "active" });
      expectLike(await t.send("DELETE", path, undefined), { status: isText });
      await t.restFails("GET", path, 404);
    },
  },
];
