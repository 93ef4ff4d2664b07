import * as z from "zod/v4";
import { EventPattern } from "../../contract/ids.ts";
import { ProjectionMode, ProjectionName, ProjectionStatus } from "../../contract/projections.ts";
import { ApiError } from "../../errors.ts";
import { MAX_PARTITION_CHARS } from "../../projections/partition.ts";
import {
  pauseProjection,
  registerProjection,
  registerSqlProjection,
  resumeProjection,
  unregisterProjection,
} from "../../projections/register.ts";
import { cancelRebuild, rebuildProjection } from "../../projections/rebuild.ts";
import { JsonText } from "../../json/json-text.ts";
import { isOnePart } from "../../projections/sql/tokens.ts";
import { MAX_HANDLERS, MAX_SQL_CHARS } from "../../projections/sql/statements.ts";
import { stateAt } from "../../projections/past.ts";
import { findProjection, generationOf, liveTrack, partitionName } from "../../projections/track.ts";
import { catchUpOf, waitUntil } from "../../projections/wait.ts";
import type { Call } from "../call.ts";
import { durationMs, IdText, int64, plainText, TimeMs } from "../fields.ts";
import { listPage } from "../reads.ts";
import { runSql } from "../sql.ts";
import {
  catchUp,
  connectJob,
  connectProjection,
  connectProjectionStatus,
  connectRevision,
  connectState,
} from "../projection-shapes.ts";
import { int64Text } from "../protojson.ts";
import { method, type ConnectMethod } from "./method.ts";

export const partitionText = plainText(MAX_PARTITION_CHARS);
const named = z.strictObject({ name: ProjectionName });

/** Protojson sends "" for what is not set. */
const unset = z.literal("").transform(() => undefined);

const RegisterRequest = z.strictObject({
  name: ProjectionName,
  events: z.array(EventPattern).min(1).max(200),
  partitionKey: plainText(1024).default(""),
  version: z.number().int().min(0).max(2_147_483_647).default(1),
  mode: z.union([ProjectionMode, z.literal("").transform((): "managed" => "managed")]).default("managed"),
  changeReason: plainText(1024).default(""),
});

const sqlText = z
  .string()
  .max(MAX_SQL_CHARS)
  .regex(/^[^\0]*$/, "must have no NUL");

const CreateSqlRequest = z.strictObject({
  name: ProjectionName,
  tableSql: sqlText.min(1),
  eventHandlers: z
    .record(EventPattern, sqlText)
    .refine((handlers) => Object.keys(handlers).length > 0, "must have a handler")
    .refine((handlers) => Object.keys(handlers).length <= MAX_HANDLERS, `more than ${MAX_HANDLERS} handlers`),
  events: z.array(EventPattern).max(MAX_HANDLERS).default([]),
  description: plainText(1024).default(""),
});

const RebuildRequest = z.strictObject({
  name: ProjectionName,
  partition: partitionText.default(""),
  fromEventId: plainText(512).default(""),
  toEventId: plainText(512).default(""),
  dryRun: z.boolean().default(false),
});

/** A condition or an order, for the one place in a query where it stands. */
const SqlPart = z
  .string()
  .max(4096)
  .regex(/^(?:\P{Cc}|[\t\n\f\r])*$/u, "must have no control character")
  .refine(isOnePart, "must be one expression")
  .default("");

/** How long a unary wait may take, ms: a longer wish is cut. */
const maxWaitMs = 60_000;
const defaultWaitMs = 30_000;
const timeout = durationMs(defaultWaitMs, maxWaitMs);

const WaitItem = z.strictObject({
  name: ProjectionName,
  minSeq: int64(0).default(0),
  partition: partitionText.default(""),
});

export interface WaitFor {
  name: string;
  minSeq: number;
  /** "" for all. */
  partition: string;
}

/** Waits until a projection has everything up to a number; what there is then, in time or not. */
export async function waitForCatchUp({ core, environment, gone }: Call, item: WaitFor, timeoutMs: number) {
  const wanted = { ...item, partition: item.partition === "" ? undefined : item.partition };
  const look = () => {
    const found = catchUpOf(core, environment.id, wanted);
    return found.caughtUp ? found : undefined;
  };
  return (await waitUntil(core, look, timeoutMs, gone)) ?? catchUpOf(core, environment.id, wanted);
}

/** Reads the table of a SQL projection where every query is read: in a process that is ended at its time limit. */
async function queryTable(
  call: Call,
  input: { name: string; where: string; orderBy: string; limit: number; offset: number },
): Promise<Record<string, unknown>> {
  const { table_name: table } = findProjection(call.core, call.environment.id, input.name);
  if (table === null) throw new ApiError("failed_precondition", `${input.name} is no SQL projection`);
  // A comment in the caller's part ends with its line.
  const where = input.where.trim() === "" ? "" : ` where (${input.where}\n)`;
  const order = input.orderBy.trim() === "" ? "" : ` order by ${input.orderBy}\n`;
  const page = await runSql(
    call,
    `select * from "${table}"${where}${order} limit ${input.limit} offset ${input.offset}`,
    { maxRows: input.limit },
  );
  const count = await runSql(call, `select count(*) from "${table}"${where}`, {});
  return {
    columns: page.columns,
    rows: page.rows.map((values, at) => ({ values, typedValues: new JsonText(page.typedRows[at] ?? "[]") })),
    totalCount: Number(count.rows[0]?.[0] ?? 0),
  };
}

/** The number of an event, for who waits for it. @throws ApiError not_found */
export function seqOfEvent({ core, environment }: Call, eventId: string): number {
  const event = core.store.events.get(environment.id, eventId);
  if (event === undefined) throw new ApiError("not_found", `event ${eventId} not found`);
  return event.seq;
}

/** `ironflow.v1.ProjectionService`, section 2.6: what applications and people ask of projections. */
export const projectionMethods: Record<string, ConnectMethod> = {
  RegisterProjection: method(RegisterRequest, async ({ core, environment }, input) => {
    const { projection, created } = await core.writer.write((tx) =>
      registerProjection(core, tx, { ...input, environmentId: environment.id }),
    );
    return {
      status: created ? "registered" : "updated",
      lastEventSeq: int64Text(projection.last_event_seq),
    };
  }),
  CreateSQLProjection: method(
    CreateSqlRequest,
    async ({ core, environment }, input) => {
      const { eventHandlers: handlers, ...rest } = input;
      for (const event of input.events) {
        if (!Object.hasOwn(handlers, event)) {
          throw new ApiError("invalid_argument", `event_handlers: none for ${event}`);
        }
      }
      const row = await core.writer.write((tx) =>
        registerSqlProjection(core, tx, { ...rest, handlers, environmentId: environment.id }),
      );
      return { name: row.name, status: row.status };
    },
    // Its members are names of events.
    ["eventHandlers"],
  ),
  UnregisterProjection: method(named, async ({ core, environment }, { name }) => {
    await core.writer.write((tx) => unregisterProjection(core, tx, environment.id, name));
    return {};
  }),
  ListProjections: method(
    z.strictObject({
      status: z.union([unset, ProjectionStatus]).optional(),
      mode: z.union([unset, ProjectionMode]).optional(),
      limit: z.number().int().min(0).max(1000).optional(),
      offset: z.number().int().min(0).max(1_000_000).optional(),
    }),
    ({ core, environment }, input) => {
      const { projections, total } = core.store.projections.list(
        { environmentId: environment.id, status: input.status, mode: input.mode },
        { limit: listPage(input, 100).limit, offset: input.offset ?? 0 },
      );
      return { projections: projections.map((row) => connectProjection(core, row)), totalCount: total };
    },
  ),
  GetProjection: method(
    z.strictObject({
      name: ProjectionName,
      partition: partitionText.default(""),
      asOf: z.union([z.literal("").transform(() => undefined), TimeMs]).optional(),
    }),
    ({ core, environment }, { name, partition, asOf }) => {
      const row = findProjection(core, environment.id, name);
      const wanted = partitionName(partition);
      const state =
        asOf === undefined
          ? core.store.projectionStates.get(generationOf(liveTrack(row)), wanted)
          : stateAt(core, row, wanted, asOf);
      return connectState(core, row, wanted, state);
    },
  ),
  GetProjectionStatus: method(named, ({ core, environment }, { name }) =>
    connectProjectionStatus(core, findProjection(core, environment.id, name)),
  ),
  PauseProjection: method(named, async ({ core, environment }, { name }) => {
    const row = await core.writer.write((tx) => pauseProjection(core, tx, environment.id, name));
    return { status: row.status };
  }),
  ResumeProjection: method(named, async ({ core, environment }, { name }) => {
    const row = await core.writer.write((tx) => resumeProjection(core, tx, environment.id, name));
    return { status: row.status };
  }),
  RebuildProjection: method(RebuildRequest, async ({ core, environment }, input) => ({
    job: connectJob(core, await rebuildProjection(core, { ...input, environmentId: environment.id })),
  })),
  GetRebuildJob: method(named, ({ core, environment }, { name }) => {
    findProjection(core, environment.id, name);
    const job = core.store.rebuilds.latest(environment.id, name);
    return { job: job && connectJob(core, job) };
  }),
  CancelRebuild: method(named, async ({ core, environment }, { name }) => {
    await core.writer.write((tx) => cancelRebuild(core, tx, environment.id, name));
    return { status: "cancelled" };
  }),
  WaitProjectionCatchup: method(WaitItem.extend({ timeout }), async (call, { timeout: waitMs, ...item }) =>
    catchUp(await waitForCatchUp(call, item, waitMs), item.minSeq),
  ),
  WaitProjectionCatchupBatch: method(
    z.strictObject({ items: z.array(WaitItem).min(1).max(16), timeout }),
    async (call, { items, timeout: waitMs }) => ({
      results: await Promise.all(
        items.map(async (item) => {
          try {
            return { result: catchUp(await waitForCatchUp(call, item, waitMs), item.minSeq) };
          } catch (error) {
            if (error instanceof ApiError) return { error: error.message };
            throw error;
          }
        }),
      ),
    }),
  ),
  WaitForEvent: method(
    z.strictObject({
      eventId: IdText,
      projection: ProjectionName,
      partition: partitionText.default(""),
      timeout,
    }),
    async (call, { eventId, projection: name, partition, timeout: waitMs }) => {
      const minSeq = seqOfEvent(call, eventId);
      return catchUp(await waitForCatchUp(call, { name, minSeq, partition }, waitMs), minSeq);
    },
  ),
  QuerySQLProjection: method(
    z.strictObject({
      name: ProjectionName,
      where: SqlPart,
      orderBy: SqlPart,
      limit: z.number().int().min(0).max(10_000).optional(),
      offset: z.number().int().min(0).max(100_000_000).default(0),
    }),
    (call, input) => queryTable(call, { ...input, limit: listPage(input, 100).limit }),
  ),
  ListProjectionHistory: method(
    z.strictObject({
      name: ProjectionName,
      limit: z.number().int().min(0).max(200).optional(),
      beforeRevision: int64(0).default(0),
    }),
    ({ core, environment }, input) => {
      findProjection(core, environment.id, input.name);
      const { limit } = listPage(input, 50);
      const before = input.beforeRevision === 0 ? Number.MAX_SAFE_INTEGER : input.beforeRevision;
      const rows = core.store.projections.history(environment.id, input.name, before, limit + 1);
      const entries = rows.slice(0, limit);
      const more = rows.length > limit;
      return {
        entries: entries.map(connectRevision),
        hasMore: more,
        nextBeforeRevision: more ? String(entries.at(-1)?.revision) : undefined,
      };
    },
  ),
  GetProjectionRevision: method(
    z.strictObject({ name: ProjectionName, revision: int64(1) }),
    ({ core, environment }, { name, revision }) => {
      findProjection(core, environment.id, name);
      const row = core.store.projections.revision(environment.id, name, revision);
      if (row === undefined)
        throw new ApiError("not_found", `projection ${name} has no revision ${revision}`);
      return { entry: connectRevision(row) };
    },
  ),
};
