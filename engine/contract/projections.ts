import * as z from "zod/v4";

/** Projections on the wire, section 2.6. int64 values come as texts on Connect. */

/** A projection's name: text chosen by the user that becomes a token of live topics. */
export const ProjectionName = z
  .string()
  .min(1)
  .max(256)
  .regex(
    /^[^\s\p{Cc}.]+(\.[^\s\p{Cc}.]+)*$/u,
    "must have no empty dotted segment, white space or control character",
  );

export const ProjectionMode = z.enum(["managed", "external"]);
export const ProjectionStatus = z.enum(["active", "rebuilding", "paused", "error"]);

const int64 = z.union([z.string(), z.number()]).default("0");
const text = z.string().default("");

export const ProjectionInfo = z.looseObject({
  name: z.string(),
  mode: text,
  status: text,
  events: z.array(z.string()).default([]),
  partitionKey: text,
  version: z.number().int().default(0),
  lastEventSeq: int64,
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  errorMessage: text,
});
export type ProjectionInfo = z.infer<typeof ProjectionInfo>;

export const ListProjectionsResponse = z.looseObject({
  projections: z.array(ProjectionInfo).default([]),
  totalCount: z.number().int().default(0),
});

export const ProjectionStatusResponse = z.looseObject({
  name: z.string(),
  status: text,
  mode: text,
  lastEventSeq: int64,
  lag: int64,
  errorMessage: text,
  updatedAt: z.string().optional(),
  rebuildTargetSeq: int64,
  rebuildStartCursor: int64,
  rebuildStartedAt: z.string().optional(),
});

export const GetProjectionResponse = z.looseObject({
  name: z.string(),
  partition: text,
  state: z.unknown().optional(),
  stateValue: z.unknown().optional(),
  lastEventId: text,
  lastEventTime: z.string().optional(),
  version: int64,
  mode: text,
  registry: ProjectionInfo.optional(),
});

export const RebuildJob = z.looseObject({
  jobId: text,
  projectionName: text,
  /** `running`, `completed`, `cancelled`, `failed`; `dry_run` for one that was only counted. */
  status: text,
  eventsProcessed: int64,
  totalEvents: int64,
  /** 0 to 100. */
  progress: z.number().default(0),
  startedAt: z.string().optional(),
  /** `12.5s`. */
  estimatedRemaining: z.string().optional(),
  error: text,
  fromEventId: text,
  toEventId: text,
  partition: text,
  dryRun: z.boolean().default(false),
});
export type RebuildJob = z.infer<typeof RebuildJob>;

export const RebuildResponse = z.looseObject({ job: RebuildJob.nullish() });
