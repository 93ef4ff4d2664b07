import { expectLike, isText, isTime, isUnset } from "../like.ts";
import type { Row } from "../row.ts";
import { openStream } from "../stream-client.ts";
import type { Body } from "../target.ts";
import {
  rpc,
  fails,
  define,
  pollEvents,
  numbersOf,
  work,
  emitNumbers,
  job,
  status,
} from "./projection-work.ts";

/** Section 2.6: rebuilds. */
export const rebuildRows: Row[] = [
  {
    id: "2.6.rebuild.dry-run",
    mark: "M",
    title: "a dry run says how many events would be replayed and changes nothing",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1, 2, 3);
      await work(t, name);
      expectLike(await rpc(t, "RebuildProjection", { name, dryRun: true }), {
        job: { projectionName: name, totalEvents: "3", dryRun: true, jobId: isUnset },
      });
      expectLike(await status(t, name), { status: "active" });
      expectLike(await rpc(t, "GetRebuildJob", { name }), { job: isUnset });
    },
  },
  {
    id: "2.6.rebuild",
    mark: "M",
    title: "a rebuild replays all events aside and takes the place of the old state when it has them",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1, 2, 3);
      await work(t, name);
      expectLike(await rpc(t, "RebuildProjection", { name }), {
        job: { jobId: isText, projectionName: name, status: "running", totalEvents: "3", startedAt: isTime },
      });
      await fails(t, "RebuildProjection", { name }, "already_exists");
      expectLike(await status(t, name), { status: "rebuilding", rebuildTargetSeq: isText });
      await emitNumbers(t, event, 10);
      expectLike(await work(t, name, 2), 2);
      expectLike(await job(t, name), {
        status: "running",
        eventsProcessed: "2",
        progress: (value) => typeof value === "number" && value > 66 && value < 67,
        estimatedRemaining: /^\d+(\.\d+)?s$/,
      });
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 6 } });
      expectLike(await work(t, name, 1), 1);
      expectLike(await job(t, name), { status: "completed", progress: 100 });
      expectLike(await status(t, name), { status: "active", rebuildTargetSeq: isUnset });
      await work(t, name);
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 16 } });
    },
  },
  {
    id: "2.6.rebuild.range",
    mark: "M",
    title: "fromEventId and toEventId narrow the replay; events that come later are not left out",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      const ids = await emitNumbers(t, event, 1, 2, 4, 8, 16);
      await work(t, name);
      const range = { name, fromEventId: ids[1], toEventId: ids[2] };
      expectLike(await rpc(t, "RebuildProjection", { ...range, dryRun: true }), {
        job: { totalEvents: "2" },
      });
      expectLike(await rpc(t, "RebuildProjection", range), {
        job: { totalEvents: "2", fromEventId: isText },
      });
      await emitNumbers(t, event, 100);
      while ((await work(t, name)) > 0);
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 106 } });
      await fails(
        t,
        "RebuildProjection",
        { name, fromEventId: ids[2], toEventId: ids[1] },
        "invalid_argument",
      );
      await fails(t, "RebuildProjection", { name, fromEventId: "evt_none" }, "invalid_argument");
    },
  },
  {
    id: "2.6.rebuild.partition",
    mark: "M",
    title: "a rebuild of one partition leaves the others alone",
    check: async (t) => {
      const { name, event } = await define(t, "by-customer", { partitionKey: "data.customer" });
      for (const [n, customer] of ["ada", "bob", "ada"].entries()) await t.emit(event, { n, customer });
      const { events } = await pollEvents(t, { name });
      const save = (partitionKey: string, at: number, state: Body) =>
        rpc(t, "SaveProjectionState", { name, partitionKey, state, lastEventSeq: events[at]?.["seq"] });
      await save("ada", 2, { wrong: true });
      await save("bob", 1, { fine: true });
      expectLike(await rpc(t, "RebuildProjection", { name, partition: "ada" }), {
        job: { totalEvents: "2", partition: "ada" },
      });
      expectLike(numbersOf((await pollEvents(t, { name })).events), [0, 2]);
      expectLike((await pollEvents(t, { name, partition: "bob" })).events, [], "those of others");
      await fails(
        t,
        "SaveProjectionState",
        { name, partitionKey: "bob", state: {}, lastEventSeq: events[1]?.["seq"] },
        "aborted",
      );
      await save("ada", 2, { right: true });
      expectLike(await job(t, name), { status: "completed", eventsProcessed: "2" });
      expectLike(await rpc(t, "GetProjection", { name, partition: "ada" }), { state: { right: true } });
      expectLike(await rpc(t, "GetProjection", { name, partition: "bob" }), { state: { fine: true } });
      expectLike((await pollEvents(t, { name })).events, []);
    },
  },
  {
    id: "2.6.rebuild.cancel",
    mark: "S",
    title: "a cancelled rebuild leaves the state as it was, and saves of it are refused",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1, 2);
      await work(t, name);
      await rpc(t, "RebuildProjection", { name });
      const { events } = await pollEvents(t, { name });
      expectLike(await rpc(t, "CancelRebuild", { name }), { status: "cancelled" });
      await fails(
        t,
        "SaveProjectionState",
        { name, state: { sum: -1 }, lastEventSeq: events[1]?.["seq"] },
        "aborted",
      );
      expectLike(await job(t, name), { status: "cancelled" });
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 3 } });
      await fails(t, "CancelRebuild", { name }, "failed_precondition");
      await emitNumbers(t, event, 4);
      await work(t, name);
      expectLike(await rpc(t, "GetProjection", { name }), { state: { sum: 7 } });
    },
  },
  {
    id: "2.6.rebuild.stream",
    mark: "I",
    title: "a managed projection is not streamed while it is rebuilt: 404 sends SDKs to polling",
    check: async (t) => {
      const { name, event } = await define(t, "sum");
      await emitNumbers(t, event, 1);
      await work(t, name);
      await rpc(t, "RebuildProjection", { name });
      const message = { name, batchSize: 10 };
      const refused = await openStream(t, "ProjectionService/StreamProjectionEvents", message).then(
        () => "answered",
        (error: unknown) => String(error),
      );
      expectLike(refused, /404/);
      await rpc(t, "CancelRebuild", { name });
    },
  },
  {
    id: "2.6.rebuild.external",
    mark: "S",
    title: "an external projection is rebuilt by acknowledging, or by reporting that it is done",
    check: async (t) => {
      const { name, event } = await define(t, "mailer", { mode: "external" });
      await emitNumbers(t, event, 1, 2);
      const { events } = await pollEvents(t, { name });
      const done = { name, lastEventSeq: events[1]?.["seq"] };
      await rpc(t, "AckProjectionEvents", done);
      await rpc(t, "RebuildProjection", { name });
      expectLike(numbersOf((await pollEvents(t, { name })).events), [1, 2]);
      await rpc(t, "AckProjectionEvents", done);
      expectLike(await job(t, name), { status: "completed", eventsProcessed: "2" });
      await rpc(t, "RebuildProjection", { name });
      await rpc(t, "ReportRebuildProgress", { name, eventsProcessed: 1, totalEvents: 2 });
      expectLike(await job(t, name), { status: "running", eventsProcessed: "1", progress: 50 });
      await rpc(t, "ReportRebuildProgress", { name, eventsProcessed: 2, totalEvents: 2, completed: true });
      expectLike(await job(t, name), { status: "completed" });
      expectLike((await pollEvents(t, { name })).events, []);
    },
  },
];
