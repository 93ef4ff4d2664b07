import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import type { McpSession } from "../client/session.ts";
import type { ToolArguments, ToolName } from "../contract/tools.ts";
import { textOf, type Answer } from "../testing/clients.ts";
import { leaveDeadDeliveries } from "../testing/dead-deliveries.ts";
import { startRealEngine, type RealEngine } from "../testing/real-engine.ts";
import { callTool, openToolSession } from "../testing/tool-session.ts";

/** The tools on rows that the embedded engine itself gave up: its disk was full for as long as it tried. */
let server: Bundle;
let engine: RealEngine;
let session: McpSession;
const ids: string[] = [];
const env = "env_default";
const [KEPT, DROPPED] = ["order-1", "order-2"];

beforeAll(async () => {
  [server, engine] = await Promise.all([
    bundleEntry(new URL("./main.ts", import.meta.url)),
    startRealEngine({}, async (dataDir) => {
      const events = [KEPT, DROPPED].map((entityId) => ({
        entityId,
        name: "order.placed",
        data: { order: entityId },
        functionId: "fulfil",
      }));
      ids.push(...(await leaveDeadDeliveries(dataDir, events)));
    }),
  ]);
  await engine.register("fulfil", "order.placed", ({ event }) => ({
    status: "completed",
    steps: [],
    result: event.data,
  }));
  session = await openToolSession(server, engine, ["--allow-writes"]);
});
afterAll(async () => {
  await session.close();
  await engine.stop();
  await server.remove();
});

const call = <Name extends ToolName>(name: Name, args: ToolArguments<Name>) => callTool(session, name, args);
const refusal = async (name: ToolName, args: Record<string, unknown>): Promise<unknown> => {
  const answer = (await session.callTool(name, args)) as Answer;
  expect(answer.isError).toBe(true);
  return textOf(answer);
};
const listed = async () =>
  (await call("ironflow_outbox_dlq_list", { env })).items.map(({ event_id, kind }) => `${event_id} ${kind}`);

const [kept, dropped] = [() => ids[0] ?? "", () => ids[1] ?? ""];

it("list what was given up, with the tries and what went wrong", async () => {
  const page = await call("ironflow_outbox_dlq_list", { env });
  expect(page).toMatchObject({ count: 4, total_count: 4 });
  const rows = page.items.filter(({ event_id }) => event_id === kept());
  expect(rows.map(({ kind, topic }) => `${kind} to ${topic}`).sort()).toEqual([
    "entity to entity:order-1",
    "event to events:order.placed",
  ]);
  for (const row of rows)
    expect(row).toMatchObject({
      attempts: 10,
      entity_id: KEPT,
      last_error: expect.stringMatching(row.kind === "entity" ? /the client is gone/ : /full/),
    });
  const { runs } = await call("ironflow_list_runs", { event_id: kept() });
  expect(runs).toEqual([]);
});

it("requeue every row that shares the event's id, and only those: what they were to start is started once", async () => {
  const requeued = await call("ironflow_outbox_dlq_requeue", { event_id: kept(), env });
  expect(requeued).toEqual({ event_id: kept(), result: "requeued", rows: 2 });
  await expect
    .poll(async () => (await call("ironflow_list_runs", { event_id: kept() })).runs, { timeout: 20_000 })
    .toHaveLength(1);
  const { runs } = await call("ironflow_list_runs", { event_id: kept() });
  const done = await call("ironflow_wait_for_run", { run_id: runs[0]?.id ?? "" });
  expect(done).toMatchObject({ status: "completed", output: { order: KEPT } });
  expect((await listed()).sort()).toEqual([`${dropped()} entity`, `${dropped()} event`]);
  const again = await refusal("ironflow_outbox_dlq_requeue", { event_id: kept(), env });
  expect(again).toMatchObject({ code: "not_found" });
});

it("discard every row that shares the event's id, after a yes only, and the event stays", async () => {
  const discard = { event_id: dropped(), env };
  expect(await refusal("ironflow_outbox_dlq_discard", discard)).toMatchObject({
    reason: "confirmation_required",
    error: "not confirmed; nothing was changed",
  });
  expect(await listed()).toHaveLength(2);
  const discarded = await call("ironflow_outbox_dlq_discard", { ...discard, confirm: true });
  expect(discarded).toEqual({ event_id: dropped(), result: "discarded", rows: 2 });
  expect(await listed()).toEqual([]);
  const { events } = await call("ironflow_read_entity_stream", { entity_id: DROPPED ?? "" });
  expect(events.map(({ id }) => id)).toEqual([dropped()]);
  expect((await call("ironflow_list_runs", { event_id: dropped() })).runs).toEqual([]);
  const again = await refusal("ironflow_outbox_dlq_discard", { ...discard, confirm: true });
  expect(again).toMatchObject({ code: "not_found" });
});
