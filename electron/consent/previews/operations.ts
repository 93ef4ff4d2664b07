import * as z from "zod/v4";
import { Breaker } from "../../../mcp/contract/domain.ts";
import { OUTBOX_LIMIT_MAX, OutboxPage, type OutboxDeadLetter } from "../../../mcp/contract/tools/outbox.ts";
import { ProjectionStatus, RebuildStarted } from "../../../mcp/contract/tools/projections.ts";
import type { ShownValue } from "../../contract/consent.ts";
import { shown } from "../visible.ts";
import {
  count,
  notFound,
  optionalRow,
  optionalTime,
  readAs,
  type Previewer,
  type ReadTool,
} from "./read-target.ts";

const Breakers = z.looseObject({ items: z.array(Breaker) });

/** Pages of dead rows that are read for a count; beyond them it is "at least". */
const OUTBOX_PAGES_MAX = 4;

export const resetBreaker: Previewer = async (args, read) => {
  const { items } = await readAs(Breakers, read, "ironflow_circuit_breaker_list", {});
  const breaker = items.find(({ key }) => key === args["key"]);
  if (breaker === undefined) throw notFound("such circuit breaker");
  const { waiting_runs: waiting } = breaker;
  return {
    title: "Reset a circuit breaker",
    consequence: "The runs that it holds back are sent to the endpoint at once.",
    target: breakerRows(breaker),
    effects: [
      "The breaker is closed.",
      waiting === undefined
        ? "The runs it holds back start."
        : waiting === 0
          ? "It holds no run back now."
          : `${count(waiting, "run")} that it holds back ${waiting === 1 ? "starts" : "start"}.`,
    ],
    not_reached: ["The cause is not mended: after more failures it opens again."],
    watched: { key: breaker.key, state: breaker.state },
  };
};

export const requeueOutbox: Previewer = async (args, read) => {
  const { rows, atLeast, target, watched } = await readOutbox(args, read);
  return {
    title: "Requeue dead outbox rows",
    consequence: `${atLeast ? "At least " : ""}${count(rows.length, "row")} that ${rows.length === 1 ? "has" : "share"} this event id ${rows.length === 1 ? "is" : "are"} delivered again.`,
    target,
    effects: [
      `${count(rows.length, "row", atLeast)} with this event id, in every topic, ${rows.length === 1 ? "goes" : "go"} back into the queue.`,
      "Subscribers may get a message a second time.",
    ],
    not_reached: [
      "Rows of other events stay where they are.",
      "The cause is not mended: rows that fail again come back.",
    ],
    watched,
  };
};

export const discardOutbox: Previewer = async (args, read) => {
  const { rows, atLeast, target, watched } = await readOutbox(args, read);
  return {
    title: "Discard dead outbox rows",
    consequence: `${atLeast ? "At least " : ""}${count(rows.length, "row")} that ${rows.length === 1 ? "has" : "share"} this event id ${rows.length === 1 ? "is" : "are"} deleted for good.`,
    target,
    effects: [
      `${count(rows.length, "row", atLeast)} with this event id, in every topic, ${rows.length === 1 ? "is" : "are"} deleted.`,
      "What they were to deliver is never delivered.",
    ],
    not_reached: ["The stored event itself stays.", "Rows of other events stay where they are."],
    watched,
  };
};

export const rebuildProjection: Previewer = async (args, read) => {
  const name = String(args["name"]);
  const status = await readAs(ProjectionStatus, read, "ironflow_projection_status", { name });
  const dryRun = { ...args, dry_run: true };
  const { job } = await readAs(RebuildStarted, read, "ironflow_rebuild_projection", dryRun);
  const part = args["partition"] === undefined ? "Its read model" : "The partition's part of its read model";
  return {
    title: "Rebuild a projection",
    consequence: `${part} is deleted and built anew from ${count(String(job.total_events), "event")}. Until that is done readers see it incomplete.`,
    target: [
      shown("Projection", name),
      shown("Mode", status.mode),
      shown("State", status.status),
      ...optionalRow("Lag", status.lag === undefined ? undefined : String(status.lag)),
      ...optionalRow("Error", status.error_message),
      shown("To replay", count(String(job.total_events), "event")),
    ],
    effects: [
      `${part} is deleted first.`,
      `${count(String(job.total_events), "event")} ${String(job.total_events) === "1" ? "is" : "are"} replayed.`,
    ],
    not_reached: [
      "The events themselves stay.",
      "Other projections stay as they are.",
      "No run is started by what is replayed.",
    ],
    // New events come by themselves; they do not make it another rebuild.
    watched: { name: status.name, mode: status.mode, status: status.status },
  };
};

interface OutboxRows {
  readonly rows: readonly OutboxDeadLetter[];
  /** There may be more. */
  readonly atLeast: boolean;
  readonly target: ShownValue[];
  readonly watched: unknown;
}

/** Every dead row of one event: the engine acts on all of them, never on one. */
async function readOutbox(args: Record<string, unknown>, read: ReadTool): Promise<OutboxRows> {
  const { event_id: eventId, env } = args;
  const rows: OutboxDeadLetter[] = [];
  let atLeast = true;
  for (let page = 0; page < OUTBOX_PAGES_MAX && atLeast; page += 1) {
    const { items } = await readAs(OutboxPage, read, "ironflow_outbox_dlq_list", {
      env,
      limit: OUTBOX_LIMIT_MAX,
      offset: page * OUTBOX_LIMIT_MAX,
    });
    rows.push(...items.filter((row) => row.event_id === eventId));
    atLeast = items.length >= OUTBOX_LIMIT_MAX;
  }
  const [first] = rows;
  if (first === undefined && !atLeast) throw notFound("dead outbox row with this event id");
  const topics = [...new Set(rows.flatMap(({ topic }) => topic ?? []))];
  return {
    rows,
    atLeast,
    target: [
      shown("Event id", String(eventId)),
      shown("Environment", String(env)),
      shown("Rows", `${atLeast ? "at least " : ""}${rows.length}`),
      ...(topics.length === 0 ? [] : [shown(topics.length === 1 ? "Topic" : "Topics", topics.join(", "))]),
      ...optionalRow("Entity", first?.entity_id),
      ...optionalRow("Last error", first?.last_error),
      ...optionalTime("Dead since", first?.dead_at),
    ],
    watched: { ids: rows.map(({ id }) => id).sort(), atLeast },
  };
}

function breakerRows(breaker: Breaker): ShownValue[] {
  return [
    shown("Breaker", breaker.key),
    shown("Function", breaker.function_id),
    shown("Endpoint", breaker.endpoint),
    shown("State", breaker.state),
    shown("Failures in a row", String(breaker.consecutive_fails)),
    ...optionalRow("Last failure", breaker.last_failure_reason),
  ];
}
