import * as z from "zod/v4";
import { FunctionId } from "./ids.ts";

/** Projections on the wire, section 2.6. */

/** A projection's name: text chosen by the user that becomes a token of live topics, as a function's id does. */
export const ProjectionName = FunctionId;

export const ProjectionMode = z.enum(["managed", "external"]);
export const ProjectionStatus = z.enum(["active", "rebuilding", "paused", "error"]);

const time = z.string();
const count = z.number().int();

const registry = {
  name: z.string(),
  mode: ProjectionMode,
  status: ProjectionStatus,
  events: z.array(z.string()),
  version: count,
  last_event_seq: count,
  error_message: z.string().optional(),
  created_at: time,
  updated_at: time,
};

const RestProjection = z.looseObject(registry);

export const RestProjectionList = z.looseObject({
  projections: z.array(RestProjection),
  count,
  total_count: count,
});

export const RestProjectionState = z.looseObject({
  ...registry,
  state: z
    .looseObject({
      projection_name: z.string(),
      partition_key: z.string(),
      state: z.unknown(),
      last_event_id: z.string(),
      last_event_seq: count,
      last_event_time: time,
      version: count,
      updated_at: time,
    })
    .nullable(),
});

export const RestProjectionStatus = z.looseObject({
  name: z.string(),
  status: ProjectionStatus,
  mode: ProjectionMode,
  last_event_seq: count,
  lag: count,
  error_message: z.string().optional(),
  updated_at: time,
});

/** `progress` is 0 to 100, `estimated_remaining` like `12.5s`; a dry run has no id and no start. */
export const RestRebuildJob = z.looseObject({
  job_id: z.string(),
  projection_name: z.string(),
  status: z.enum(["running", "completed", "cancelled", "failed", "dry_run"]),
  events_processed: count,
  total_events: count,
  progress: z.number(),
  started_at: time.optional(),
  estimated_remaining: z.string().optional(),
  error: z.string().optional(),
  dry_run: z.boolean(),
});

export const RestCatchUp = z.looseObject({
  caughtUp: z.boolean(),
  timedOut: z.boolean(),
  currentSeq: count,
  targetSeq: count,
  behindByEvents: count,
  rebuilding: z.boolean(),
  mode: ProjectionMode,
});

export const RestCatchUps = z.looseObject({
  results: z.array(z.looseObject({ result: RestCatchUp.optional(), error: z.string().optional() })),
});
