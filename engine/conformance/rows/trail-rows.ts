import { expectLike, expectThat, isArray, isNumber, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";

type Body = Record<string, unknown>;

/** Section 2.14: topics, flow edges, time travel. */
export const trailRows: Row[] = [
  {
    id: "2.14.publish",
    mark: "S",
    title: "Publish answers the message's id and number, and ListTopics and GetTopicStats count it",
    check: async (t) => {
      const topic = t.name("topic");
      const first = await t.rpc("PubSubService/Publish", { topic, data: { n: 1 } });
      expectLike(first, { eventId: isText, sequence: isText });
      await t.rpc("PubSubService/Publish", { topic, data: { n: 2 } });
      expectLike(await t.rpc("PubSubService/GetTopicStats", { topic }), {
        name: topic,
        messageCount: (count) => Number(count) === 2,
        firstSeq: first["sequence"] as string,
      });
      const { topics } = await t.rpc("PubSubService/ListTopics", {});
      const row = (topics as Body[]).find(({ name }) => name === topic);
      expectLike(row, { firstMessageAt: isTime, lastMessageAt: isTime });
    },
  },
  {
    id: "2.14.publish.key",
    mark: "S",
    title: "a repeated idempotency key publishes once",
    check: async (t) => {
      const message = { topic: t.name("topic"), data: { n: 1 }, idempotencyKey: "once" };
      const first = await t.rpc("PubSubService/Publish", message);
      expectLike(await t.rpc("PubSubService/Publish", message), { eventId: first["eventId"] as string });
    },
  },
  {
    id: "2.14.flow.learned",
    mark: "G",
    title: "flow edges name the functions that invoke and wait",
    check: async (t) => {
      const child = await t.define("child", async () => 1);
      const parent = await t.define("parent", ({ steps }) => steps.invoke(child, {}));
      await t.reaches(await t.start(parent), "completed");
      const { edges } = (await t.get("/api/v1/flow/invoke-edges")) as { edges: Body[] };
      expectThat(
        "the invoke is there",
        edges.some((edge) => edge["parent_function_id"] === parent && edge["child_function_id"] === child),
      );
      expectLike(await t.get("/api/v1/flow/wait-edges"), { edges: isArray });
    },
  },
  {
    id: "2.14.audit.settings",
    mark: "G",
    title: "the audit says how long it is kept, and pages through the environment's events",
    check: async (t) => {
      expectLike(await t.get("/api/v1/audit/settings"), { retention_days: isNumber });
      await t.define("audited", async () => 1);
      const first = await t.get("/api/v1/audit?limit=1");
      expectLike(first, { events: (events) => (events as unknown[]).length === 1, next_cursor: isText });
      const next = encodeURIComponent(String((first as Body)["next_cursor"]));
      const second = (await t.get(`/api/v1/audit?limit=1&cursor=${next}`)) as Body;
      expectThat(
        "another event",
        JSON.stringify(second["events"]) !== JSON.stringify((first as Body)["events"]),
      );
    },
  },
  {
    id: "2.14.time-travel",
    mark: "S",
    title: "GetRunStateAt, GetRunTimeline and GetStepOutputAt tell how a run was",
    check: async (t) => {
      const id = await t.define("travelled", ({ steps }) => steps.run("one", () => ({ n: 1 })), {
        recording: true,
      });
      const run = await t.reaches(await t.start(id), "completed");
      const runId = String(run["id"]);
      const timestamp = new Date(Date.now() + 1000).toISOString();
      const { snapshot } = await t.rpc("TimeTravelService/GetRunStateAt", { runId, timestamp });
      expectLike(snapshot, { runId, functionId: id, status: "RUN_STATUS_COMPLETED", input: isText });
      const [step] = (snapshot as { steps: Body[] }).steps;
      expectLike(step, { name: "one", status: "STEP_STATUS_COMPLETED" });
      expectLike(Buffer.from(String(step?.["output"]), "base64").toString("utf8"), '{"n":1}');
      const { events } = await t.rpc("TimeTravelService/GetRunTimeline", { runId });
      expectLike((events as Body[])[0], { id: isText, eventType: "run.created", timestamp: isTime });
      const output = await t.rpc("TimeTravelService/GetStepOutputAt", {
        runId,
        stepId: step?.["id"],
        timestamp,
      });
      expectLike(Buffer.from(String(output["output"]), "base64").toString("utf8"), '{"n":1}');
    },
  },
];
