import * as z from "zod/v4";
import type { ProjectionRecord, ProjectionStatus, RebuildJob } from "../../contract/tools/projections.ts";
import { readAnswer } from "../../upstream/answer.ts";
import type { Engine } from "../engine.ts";
import { wireCount, wireInteger } from "./int64.ts";
import { drop, restRow, text, time } from "./normalise.ts";
import type { Operation } from "./surfaces.ts";
import { answerTo, query, type Wire } from "./wire.ts";

type ProjectionCalls = Pick<
  Engine,
  "listProjections" | "projectionStatus" | "rebuildStatus" | "rebuildProjection"
>;

/** Projections on the wire (contract, section 2.6). */
const WireProjection = z.looseObject({
  name: z.string(),
  mode: z.string().default(""),
  status: z.string().default(""),
  events: z.array(z.string()).nullish(),
  partitionKey: z.string().nullish(),
  version: z.number().int().nullish(),
  lastEventSeq: wireInteger.nullish(),
  errorMessage: z.string().nullish(),
  createdAt: z.string().nullish(),
  updatedAt: z.string().nullish(),
});

const WireStatus = z.preprocess(
  restRow,
  z.looseObject({
    name: z.string(),
    status: z.string().default(""),
    mode: z.string().default(""),
    lastEventSeq: wireInteger.nullish(),
    lag: wireInteger.nullish(),
    errorMessage: z.string().nullish(),
    updatedAt: z.string().nullish(),
    rebuildTargetSeq: wireInteger.nullish(),
    rebuildStartCursor: wireInteger.nullish(),
    rebuildStartedAt: z.string().nullish(),
  }),
);

const WireJob = z.preprocess(
  restRow,
  z.looseObject({
    jobId: z.string().optional(),
    projectionName: z.string().optional(),
    status: z.string().default(""),
    eventsProcessed: wireCount,
    totalEvents: wireCount,
    progress: z.number().optional(),
    startedAt: z.string().nullish(),
    estimatedRemaining: z.string().nullish(),
    error: z.string().nullish(),
    fromEventId: z.string().optional(),
    toEventId: z.string().optional(),
    partition: z.string().optional(),
    dryRun: z.boolean().optional(),
  }),
);
const JobAnswer = z.looseObject({ job: WireJob.nullish() });
const StartedAnswer = z.looseObject({ job: WireJob });

const projectionRows = z
  .array(z.preprocess(restRow, WireProjection))
  .nullish()
  .transform((list) => list ?? []);
/** Some engines of the older era answer the bare list. */
const ListAnswer = z.union([
  projectionRows.transform((projections) => ({ projections, totalCount: undefined })),
  z.preprocess(
    restRow,
    z.looseObject({ projections: projectionRows, totalCount: z.number().int().optional() }),
  ),
]);

export function projectionCalls(wire: Wire): ProjectionCalls {
  const send = async <Schema extends z.ZodType>(
    operation: Operation,
    schema: Schema,
    call: Parameters<typeof wire.surfaces.send>[1],
  ) => {
    const { surface, text: answer } = await wire.surfaces.send(operation, call);
    return { surface, answer: readAnswer(schema, answer, answerTo(operation.connect)) };
  };

  return {
    listProjections: async ({ limit, offset }, call) => {
      const { answer } = await send(
        {
          connect: "ProjectionService/ListProjections",
          message: { limit, offset },
          effect: "read",
          rest: { method: "GET", path: `/api/v1/projections${query({ limit, offset })}` },
        },
        ListAnswer,
        call,
      );
      const projections = answer.projections.map(toProjection);
      return {
        projections,
        count: projections.length,
        total_count: answer.totalCount ?? projections.length,
      };
    },

    projectionStatus: async (name, call) => {
      const { surface, answer } = await send(
        {
          connect: "ProjectionService/GetProjectionStatus",
          message: { name },
          effect: "read",
          rest: { method: "GET", path: `${projectionPath(name)}/status`, namesRecord: true },
        },
        WireStatus,
        call,
      );
      // Connect leaves a zero out; REST rows of the older era have no lag at all.
      return toStatus(surface === "connect" ? { ...answer, lag: answer.lag ?? 0 } : answer);
    },

    rebuildStatus: async (name, call) => {
      const { answer } = await send(
        {
          connect: "ProjectionService/GetRebuildJob",
          message: { name },
          effect: "read",
          rest: { method: "GET", path: `${projectionPath(name)}/rebuild`, namesRecord: true },
        },
        JobAnswer,
        call,
      );
      return { name, job: answer.job === undefined || answer.job === null ? null : toJob(answer.job) };
    },

    rebuildProjection: async ({ name, dry_run, from_event_id, to_event_id, partition }, call) => {
      const range = { partition, fromEventId: from_event_id, toEventId: to_event_id, dryRun: dry_run };
      const { answer } = await send(
        {
          connect: "ProjectionService/RebuildProjection",
          message: { name, ...range },
          effect: dry_run ? "read" : "once",
          // The names of this body are camelCase in both eras (contract, section 1.3).
          rest: { method: "POST", path: `${projectionPath(name)}/rebuild`, body: range, namesRecord: true },
        },
        StartedAnswer,
        call,
      );
      return { name, dry_run, job: toJob(answer.job) };
    },
  };
}

const projectionPath = (name: string): string => `/api/v1/projections/${encodeURIComponent(name)}`;

/** Absent, null and the protocol's zero are one thing to a reader. */
const some = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

function toProjection(wire: z.output<typeof WireProjection>): ProjectionRecord {
  return drop({
    name: wire.name,
    mode: wire.mode,
    status: wire.status,
    events: some(wire.events),
    partition_key: text(some(wire.partitionKey)),
    version: some(wire.version),
    last_event_seq: some(wire.lastEventSeq),
    error_message: text(some(wire.errorMessage)),
    created_at: time(wire.createdAt),
    updated_at: time(wire.updatedAt),
  });
}

function toStatus(wire: z.output<typeof WireStatus>): ProjectionStatus {
  return drop({
    name: wire.name,
    status: wire.status,
    mode: wire.mode,
    lag: some(wire.lag),
    last_event_seq: some(wire.lastEventSeq),
    error_message: text(some(wire.errorMessage)),
    updated_at: time(wire.updatedAt),
    rebuild_started_at: time(wire.rebuildStartedAt),
    rebuild_start_seq: some(wire.rebuildStartCursor),
    rebuild_target_seq: some(wire.rebuildTargetSeq),
  });
}

function toJob(wire: z.output<typeof WireJob>): RebuildJob {
  return drop({
    job_id: text(wire.jobId),
    projection_name: text(wire.projectionName),
    status: wire.status,
    events_processed: wire.eventsProcessed,
    total_events: wire.totalEvents,
    progress: wire.progress,
    started_at: time(wire.startedAt),
    estimated_remaining: text(some(wire.estimatedRemaining)),
    error: text(some(wire.error)),
    from_event_id: text(wire.fromEventId),
    to_event_id: text(wire.toEventId),
    partition: text(wire.partition),
    dry_run: wire.dryRun,
  });
}
