import * as z from "zod/v4";
import {
  ProjectionMode,
  ProjectionName,
  ProjectionStatus,
  RestCatchUp,
  RestCatchUps,
  RestProjectionList,
  RestProjectionState,
  RestProjectionStatus,
  RestRebuildJob,
} from "../../contract/projections.ts";
import { RestStatus } from "../../contract/rest-runs.ts";
import { ApiError } from "../../errors.ts";
import { MAX_PARTITION_CHARS } from "../../projections/partition.ts";
import { pauseProjection, resumeProjection, unregisterProjection } from "../../projections/register.ts";
import { cancelRebuild, rebuildProjection } from "../../projections/rebuild.ts";
import { findProjection, generationOf, liveTrack, partitionName } from "../../projections/track.ts";
import { seqOfEvent, waitForCatchUp } from "../connect/projection-methods.ts";
import { IdText, plainText, queryInt } from "../fields.ts";
import {
  restCatchUp,
  restJob,
  restProjection,
  restProjectionStatus,
  restState,
} from "../projection-shapes.ts";
import { route, type RestRoute } from "./route.ts";

const base = "/api/v1/projections";
const partition = plainText(MAX_PARTITION_CHARS);

/** A unary wait, ms: a longer wish is cut. */
const maxWaitMs = 60_000;
const waitMs = (ms: number | null | undefined) => Math.min(maxWaitMs, ms ?? 30_000);

const seq = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const bodyTimeout = z.number().int().min(0).nullish();

const WaitItem = z.strictObject({
  name: ProjectionName,
  minSeq: seq.default(0),
  partition: partition.nullish(),
});

/** The era-A routes of projections, section 2.6; DELETE and partitions are in both eras. */
export const projectionRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: base,
    summary: "List projections",
    answer: RestProjectionList,
    query: z.strictObject({
      status: ProjectionStatus.optional(),
      mode: ProjectionMode.optional(),
      limit: queryInt(1, 1000).optional(),
      offset: queryInt(0, 1_000_000).optional(),
    }),
    run: ({ core, environment }, { query }) => {
      const { projections, total } = core.store.projections.list(
        { environmentId: environment.id, status: query.status, mode: query.mode },
        { limit: query.limit ?? 100, offset: query.offset ?? 0 },
      );
      return {
        projections: projections.map((row) => restProjection(core, row)),
        count: projections.length,
        total_count: total,
      };
    },
  }),
  route({
    method: "POST",
    path: `${base}/catchup/batch`,
    summary: "Wait until several projections have caught up",
    answer: RestCatchUps,
    body: z.strictObject({ items: z.array(WaitItem).min(1).max(16), timeout: bodyTimeout }),
    run: async (call, { body }) => ({
      results: await Promise.all(
        body.items.map(async (item) => {
          try {
            const wanted = { ...item, partition: item.partition ?? "" };
            return {
              result: restCatchUp(await waitForCatchUp(call, wanted, waitMs(body.timeout)), item.minSeq),
            };
          } catch (error) {
            if (error instanceof ApiError) return { error: error.message };
            throw error;
          }
        }),
      ),
    }),
  }),
  route({
    method: "POST",
    path: `${base}/wait-for-event`,
    summary: "Wait until a projection has an event",
    answer: RestCatchUp,
    body: z.strictObject({
      eventId: IdText,
      projection: ProjectionName,
      partition: partition.nullish(),
      timeout: bodyTimeout,
    }),
    run: async (call, { body }) => {
      const minSeq = seqOfEvent(call, body.eventId);
      const item = { name: body.projection, minSeq, partition: body.partition ?? "" };
      return restCatchUp(await waitForCatchUp(call, item, waitMs(body.timeout)), minSeq);
    },
  }),
  route({
    method: "GET",
    path: `${base}/{projection}`,
    summary: "Get a projection and the state of a partition",
    answer: RestProjectionState,
    query: z.strictObject({ partition: partition.optional() }),
    run: ({ core, environment }, { params, query }) => {
      const row = findProjection(core, environment.id, params.projection ?? "");
      const wanted = partitionName(query.partition);
      return restState(core, row, core.store.projectionStates.get(generationOf(liveTrack(row)), wanted));
    },
  }),
  route({
    method: "DELETE",
    path: `${base}/{projection}`,
    summary: "Delete a projection",
    answer: RestStatus,
    run: async ({ core, environment }, { params }) => {
      await core.writer.write((tx) =>
        unregisterProjection(core, tx, environment.id, params.projection ?? ""),
      );
      return { status: "deleted" };
    },
  }),
  route({
    method: "GET",
    path: `${base}/{projection}/status`,
    summary: "Get the status of a projection",
    answer: RestProjectionStatus,
    run: ({ core, environment }, { params }) =>
      restProjectionStatus(core, findProjection(core, environment.id, params.projection ?? "")),
  }),
  route({
    method: "GET",
    path: `${base}/{projection}/partitions`,
    summary: "List the partitions of a projection",
    answer: z.looseObject({ partitions: z.array(z.string()), returned: z.number().int() }),
    query: z.strictObject({ q: plainText(256).optional(), limit: queryInt(1, 1000).optional() }),
    run: ({ core, environment }, { params, query }) => {
      const row = findProjection(core, environment.id, params.projection ?? "");
      const partitions = core.store.projectionStates.partitions(
        generationOf(liveTrack(row)),
        query.q || undefined,
        query.limit ?? 100,
      );
      return { partitions, returned: partitions.length };
    },
  }),
  route({
    method: "POST",
    path: `${base}/{projection}/rebuild`,
    summary: "Rebuild a projection",
    answer: z.looseObject({ job: RestRebuildJob }),
    body: z.strictObject({
      dryRun: z.boolean().nullish(),
      fromEventId: plainText(512).nullish(),
      toEventId: plainText(512).nullish(),
      partition: partition.nullish(),
    }),
    run: async ({ core, environment }, { params, body }) => ({
      job: restJob(
        core,
        await rebuildProjection(core, {
          environmentId: environment.id,
          name: params.projection ?? "",
          dryRun: body.dryRun ?? false,
          fromEventId: body.fromEventId ?? "",
          toEventId: body.toEventId ?? "",
          partition: body.partition ?? "",
        }),
      ),
    }),
  }),
  route({
    method: "GET",
    path: `${base}/{projection}/rebuild`,
    summary: "Get the newest rebuild of a projection",
    answer: z.looseObject({ job: RestRebuildJob.nullable() }),
    run: ({ core, environment }, { params }) => {
      const { name } = findProjection(core, environment.id, params.projection ?? "");
      const job = core.store.rebuilds.latest(environment.id, name);
      return { job: job === undefined ? null : restJob(core, job) };
    },
  }),
  route({
    method: "POST",
    path: `${base}/{projection}/cancel`,
    summary: "Cancel the rebuild of a projection",
    answer: RestStatus,
    run: async ({ core, environment }, { params }) => {
      await core.writer.write((tx) => cancelRebuild(core, tx, environment.id, params.projection ?? ""));
      return { status: "cancelled" };
    },
  }),
  route({
    method: "POST",
    path: `${base}/{projection}/pause`,
    summary: "Pause a projection",
    answer: RestStatus,
    run: async ({ core, environment }, { params }) => {
      const row = await core.writer.write((tx) =>
        pauseProjection(core, tx, environment.id, params.projection ?? ""),
      );
      return { status: row.status };
    },
  }),
  route({
    method: "POST",
    path: `${base}/{projection}/resume`,
    summary: "Resume a projection",
    answer: RestStatus,
    run: async ({ core, environment }, { params }) => {
      const row = await core.writer.write((tx) =>
        resumeProjection(core, tx, environment.id, params.projection ?? ""),
      );
      return { status: row.status };
    },
  }),
  route({
    method: "GET",
    path: `${base}/{projection}/catchup`,
    summary: "Wait until a projection has caught up",
    answer: RestCatchUp,
    query: z.strictObject({
      minSeq: queryInt(0, Number.MAX_SAFE_INTEGER).default(0),
      timeout: queryInt(0, 1_000_000_000).optional(),
      partition: partition.optional(),
    }),
    run: async (call, { params, query }) => {
      const item = {
        name: params.projection ?? "",
        minSeq: query.minSeq,
        partition: query.partition ?? "",
      };
      return restCatchUp(await waitForCatchUp(call, item, waitMs(query.timeout)), query.minSeq);
    },
  }),
];
