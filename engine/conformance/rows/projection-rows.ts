import { expectLike, expectThat, isNumber, isText, isTime, isUnset } from "../like.ts";
import type { Row } from "../row.ts";
import { poll } from "../../../loopback/testing/poll.ts";
import { WAIT_MS, type Body } from "../target.ts";
import { rpc, fails, define, pollEvents, numbersOf, work, emitNumbers, status } from "./projection-work.ts";

/** Section 2.6: registering, polling, saving, acknowledging, partitions, pausing. */
export const projectionRows: Row[] = [
  {
    id: "2.6.register",
    mark: "S",
    title: "RegisterProjection answers registered, then updated, and where the projection is",
    check: async (t) => {
      const message = { name: t.name("sum"), events: [t.name("e")], version: 1, mode: "managed" };
      expectLike(await rpc(t, "RegisterProjection", message), { status: "registered" });
      expectLike(await rpc(t, "RegisterProjection", message), { status: "updated" });
      await fails(t, "RegisterProjection", { ...message, events: [] }, "invalid_argument");
      await fails(t, "RegisterProjection", { ...message, mode: "magic" }, "invalid_argument");
      await fails(t, "RegisterProjection", { ...message, partitionKey: "data.(" }, "invalid_argument");
    },
  },
  {
    id: "2.6.missing",
    mark: "S",
    title: "a projection that nobody registered is not_found, in these words: projection not found",
    check: async (t) => {
      const methods = ["GetProjection", "GetProjectionStatus", "PollProjectionEvents", "RebuildProjection"];
      for (const method of [...methods, "PauseProjection", "UnregisterProjection", "GetRebuildJob"])
        expectLike(await fails(t, method, { name: "nobody" }, "not_found"), /projection not found/);
    },
  },
  {
    id: "2.6.as-of",
    mark: "S",
    title: "GetProjection.asOf answers the state as it was at that time",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      const moments: string[] = [];
      for (const n of [1, 2, 3]) {
        await emitNumbers(t, event, n);
        await work(t, name);
        const now = await rpc(t, "GetProjection", { name });
        const savedAt = String(now["stateUpdatedAt"] ?? now["lastEventTime"]);
        moments.push(savedAt);
        // The next save has a time of its own.
        await poll("the clock to go on", () => Date.now() > Date.parse(savedAt) + 1, WAIT_MS);
      }
      for (const [index, sum] of [1, 3, 6].entries())
        expectLike(await rpc(t, "GetProjection", { name, asOf: moments[index] }), { name, state: { sum } });
      expectLike(await rpc(t, "GetProjection", { name, asOf: "2100-01-01T00:00:00Z" }), {
        state: { sum: 6 },
      });
      await fails(t, "GetProjection", { name, asOf: "2001-01-01T00:00:00Z" }, "out_of_range");
      await fails(t, "GetProjection", { name, asOf: "yesterday" }, "invalid_argument");
    },
  },
  {
    id: "2.6.poll-save",
    mark: "S",
    title: "a managed projection: poll gives events and the state they build on, save keeps both",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1, 2, 3);
      const first = await pollEvents(t, { name, batchSize: 2 });
      expectLike(first, {
        events: [
          { id: /^evt_/, name: event, data: { n: 1 }, seq: isText, timestamp: isTime, source: isText },
          { data: { n: 2 } },
        ],
        currentState: isUnset,
      });
      expectLike(numbersOf((await pollEvents(t, { name, batchSize: 2 })).events), [1, 2], "not saved yet");
      await work(t, name, 2);
      expectLike(await pollEvents(t, { name }), {
        events: [{ data: { n: 3 } }],
        currentState: { sum: 3 },
        lastEventSeq: String(first.events[1]?.["seq"]),
      });
      await work(t, name);
      expectLike(await rpc(t, "GetProjection", { name }), {
        name,
        partition: "__global__",
        state: { sum: 6 },
        lastEventId: /^evt_/,
        lastEventTime: isTime,
        version: "2",
        mode: "managed",
        registry: { name, status: "active", versionFull: "1" },
      });
      expectLike((await pollEvents(t, { name })).events, []);
    },
  },
  {
    id: "2.6.save.conflict",
    mark: "I",
    title: "an older save is aborted, the same save again changes nothing, one without a state is refused",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1, 2);
      const { events } = await pollEvents(t, { name });
      const save = (at: number, sum: number) => ({ name, state: { sum }, lastEventSeq: events[at]?.["seq"] });
      expectLike(await rpc(t, "SaveProjectionState", save(1, 3)), { ok: true });
      await fails(t, "SaveProjectionState", save(0, 1), "aborted");
      expectLike(await rpc(t, "SaveProjectionState", save(1, 99)), { ok: true });
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 3 }, version: "1" });
      const { state: _state, ...none } = save(1, 0);
      await fails(t, "SaveProjectionState", none, "invalid_argument");
      await fails(
        t,
        "SaveProjectionState",
        { name, state: {}, lastEventSeq: "99999999999" },
        "invalid_argument",
      );
      await fails(t, "AckProjectionEvents", { name, lastEventSeq: 1 }, "failed_precondition");
    },
  },
  {
    id: "2.6.save.value",
    mark: "G",
    title: "a state that is no object travels as stateValue",
    check: async (t) => {
      const { name, event } = await define(t, "list");
      await emitNumbers(t, event, 1);
      const { events } = await pollEvents(t, { name });
      const lastEventSeq = events[0]?.["seq"];
      await rpc(t, "SaveProjectionState", { name, stateValue: [1, 2], lastEventSeq });
      expectLike(await rpc(t, "GetProjection", { name }), { stateValue: [1, 2], state: isUnset });
      expectLike(await t.get(`/api/v1/projections/${name}`), { state: { state: [1, 2] } });
    },
  },
  {
    id: "2.6.workers",
    mark: "I",
    title: "many workers at once come to the sum that one would have come to",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, ...Array.from({ length: 30 }, (_, n) => n));
      const worker = async () => {
        for (let idle = 0; idle < 2;) {
          const done = await work(t, name, 4).catch((error: unknown) => {
            // Somebody was faster: poll again.
            if (!String(error).includes("aborted")) throw error;
            return 1;
          });
          idle = done === 0 ? idle + 1 : 0;
        }
      };
      await Promise.all(Array.from({ length: 6 }, worker));
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 435 } });
    },
  },
  {
    id: "2.6.external",
    mark: "S",
    title: "an external projection acknowledges its events; acknowledging less changes nothing",
    check: async (t) => {
      const { name, event } = await define(t, "mailer", { mode: "external" });
      await emitNumbers(t, event, 1, 2, 3);
      const { events } = await pollEvents(t, { name });
      expectLike(numbersOf(events), [1, 2, 3]);
      const ack = (at: number) => ({
        name,
        lastEventId: events[at]?.["id"],
        lastEventSeq: events[at]?.["seq"],
      });
      expectLike(await rpc(t, "AckProjectionEvents", ack(1)), { ok: true });
      expectLike(await rpc(t, "AckProjectionEvents", ack(0)), { ok: true });
      expectLike(numbersOf((await pollEvents(t, { name })).events), [3]);
      expectLike(await status(t, name), { lastEventSeq: String(events[1]?.["seq"]), mode: "external" });
      await fails(t, "SaveProjectionState", { ...ack(2), state: {} }, "failed_precondition");
    },
  },
  {
    id: "2.6.partitions",
    mark: "G",
    title: "a partition key gives each event its partition, and each partition its state",
    check: async (t) => {
      const { name, event } = await define(t, "by-customer", { partitionKey: "data.customer" });
      for (const [n, customer] of ["ada", "bob", "ada"].entries()) await t.emit(event, { n, customer });
      const { events } = await pollEvents(t, { name });
      expectLike(
        events.map((one) => (one["metadata"] as Body)["__partition"]),
        ["ada", "bob", "ada"],
      );
      const save = (partitionKey: string, at: number) =>
        rpc(t, "SaveProjectionState", {
          name,
          partitionKey,
          state: { of: partitionKey },
          lastEventSeq: events[at]?.["seq"],
        });
      await save("ada", 2);
      expectLike(
        (await pollEvents(t, { name })).events.map((one) => one["id"]),
        [String(events[1]?.["id"])],
        "what is left",
      );
      await save("bob", 1);
      expectLike((await pollEvents(t, { name })).events, []);
      expectLike(await status(t, name), { lag: isUnset, lastEventSeq: String(events[2]?.["seq"]) });
      expectLike(await rpc(t, "GetProjection", { name, partition: "bob" }), { state: { of: "bob" } });
      expectLike(await t.get(`/api/v1/projections/${name}/partitions`), {
        partitions: ["ada", "bob"],
        returned: 2,
      });
      expectLike(await t.get(`/api/v1/projections/${name}/partitions?q=AD&limit=5`), { partitions: ["ada"] });
    },
  },
  {
    id: "2.6.partition-poll",
    mark: "S",
    title: "a poll for one partition brings its events and its state",
    check: async (t) => {
      const { name, event } = await define(t, "by-customer", { partitionKey: "data.customer" });
      for (const [n, customer] of ["ada", "bob", "ada"].entries()) await t.emit(event, { n, customer });
      const first = await pollEvents(t, { name, partition: "ada", batchSize: 1 });
      expectLike(numbersOf(first.events), [0]);
      const save = { name, partitionKey: "ada", state: { seen: 1 }, lastEventSeq: first.events[0]?.["seq"] };
      await rpc(t, "SaveProjectionState", save);
      expectLike(await pollEvents(t, { name, partition: "ada" }), {
        events: [{ data: { n: 2 } }],
        currentState: { seen: 1 },
      });
    },
  },
  {
    id: "2.6.list",
    mark: "S",
    title: "ListProjections filters by status and mode and pages",
    check: async (t) => {
      const { name, event } = await define(t, "listed", { mode: "external", partitionKey: "data.a" });
      const all = await rpc(t, "ListProjections", { limit: 1000 });
      const found = (all["projections"] as Body[]).find((one) => one["name"] === name);
      expectLike(found, {
        mode: "external",
        status: "active",
        events: [event],
        partitionKey: "data.a",
        version: 1,
        createdAt: isTime,
        updatedAt: isTime,
      });
      expectLike(all["totalCount"], isNumber);
      await rpc(t, "PauseProjection", { name });
      const paused = await rpc(t, "ListProjections", { status: "paused", mode: "external", limit: 1000 });
      expectThat("it is among the paused", JSON.stringify(paused).includes(name));
      expectLike(await rpc(t, "ListProjections", { limit: 1 }), { projections: [{ name: isText }] });
    },
  },
  {
    id: "2.6.pause",
    mark: "S",
    title: "a paused projection gives out nothing; resumed it goes on where it was",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1);
      expectLike(await rpc(t, "PauseProjection", { name }), { status: "paused" });
      expectLike((await pollEvents(t, { name })).events, []);
      expectLike(await status(t, name), { status: "paused", lag: isText });
      expectLike(await rpc(t, "ResumeProjection", { name }), { status: "active" });
      expectLike(numbersOf((await pollEvents(t, { name })).events), [1]);
    },
  },
  {
    id: "2.6.status",
    mark: "S",
    title: "GetProjectionStatus says lag, position and error",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1, 2);
      expectLike(await status(t, name), { name, status: "active", mode: "managed", updatedAt: isTime });
      expectThat("it is two behind at least", Number((await status(t, name))["lag"]) >= 2);
      await work(t, name);
      expectLike(await status(t, name), { lag: isUnset, errorMessage: isUnset, rebuildTargetSeq: isUnset });
    },
  },
];
