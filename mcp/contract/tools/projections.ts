import * as z from "zod/v4";
import { WideInteger } from "../domain.ts";
import { DESTRUCTIVE_ROW, READ_ROW, toolRow } from "../tool-row.ts";
import { limitField, offsetField } from "./fields.ts";

export const ProjectionRecord = z.object({
  name: z.string(),
  mode: z.string().describe("managed: the engine keeps the state; external: a worker keeps it; or sql."),
  status: z.string().describe("active, rebuilding, paused or error."),
  events: z.array(z.string()).optional().describe("Names of the events that it is built from."),
  partition_key: z.string().optional(),
  version: z.number().int().optional(),
  last_event_seq: WideInteger.optional(),
  error_message: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type ProjectionRecord = z.infer<typeof ProjectionRecord>;

export const ProjectionsPage = z.looseObject({
  projections: z.array(ProjectionRecord),
  count: z.number().int().describe("Rows in this page."),
  total_count: z.number().int().describe("Projections in all."),
});
export type ProjectionsPage = z.infer<typeof ProjectionsPage>;

export const ProjectionStatus = z.object({
  name: z.string(),
  status: z.string().describe("active, rebuilding, paused or error."),
  mode: z.string(),
  lag: WideInteger.optional().describe(
    "Events that it has still to take in; absent where the engine does not say.",
  ),
  last_event_seq: WideInteger.optional().describe("Sequence of the last event that it took in."),
  error_message: z.string().optional(),
  updated_at: z.string().optional(),
  rebuild_started_at: z.string().optional(),
  rebuild_start_seq: WideInteger.optional(),
  rebuild_target_seq: WideInteger.optional(),
});
export type ProjectionStatus = z.infer<typeof ProjectionStatus>;

export const RebuildJob = z.object({
  job_id: z.string().optional(),
  projection_name: z.string().optional(),
  status: z.string().describe("The engine's word, for example running, completed, failed or cancelled."),
  events_processed: WideInteger,
  total_events: WideInteger,
  progress: z.number().optional().describe("Percent, 0 to 100."),
  started_at: z.string().optional(),
  estimated_remaining: z.string().optional().describe('Time left, for example "12.5s".'),
  error: z.string().optional(),
  from_event_id: z.string().optional(),
  to_event_id: z.string().optional(),
  partition: z.string().optional(),
  dry_run: z.boolean().optional(),
});
export type RebuildJob = z.infer<typeof RebuildJob>;

export const RebuildStatus = z.looseObject({
  name: z.string(),
  job: RebuildJob.nullable().describe("The last rebuild; null when there has been none."),
});
export type RebuildStatus = z.infer<typeof RebuildStatus>;

export const RebuildStarted = z.looseObject({
  name: z.string(),
  dry_run: z.boolean().describe("true: nothing was changed; job tells the scope."),
  job: RebuildJob,
});
export type RebuildStarted = z.infer<typeof RebuildStarted>;

const projectionNameField = z
  .string()
  .min(1)
  .max(256)
  .describe("Name of the projection, exactly as ironflow_list_projections gives it.");

const rangeField = (text: string) => z.string().min(1).max(256).optional().describe(text);

export const PROJECTION_ROWS = [
  toolRow({
    ...READ_ROW,
    name: "ironflow_list_projections",
    title: "List projections",
    description:
      "Lists projections: read models that are built from events, with mode, state, the events they take, how far they are and the last error. Start here when something that is shown is old or wrong. " +
      "It does not show a projection's state, no tool does; a SQL projection's table can be read with ironflow_sql_query. For lag use ironflow_projection_status. Returns projections, count and total_count; page with offset.",
    input: z.strictObject({ limit: limitField(50, 500), offset: offsetField }),
    output: ProjectionsPage,
  }),
  toolRow({
    ...READ_ROW,
    name: "ironflow_projection_status",
    title: "Status of a projection",
    description:
      "Says how one projection stands: state, lag (events still to take in), the last event it took, its last error, and the bounds of a rebuild under way. Use it to explain old data. " +
      "An error state does not mend itself: the cause has to be mended, then ironflow_rebuild_projection. For the progress of a rebuild use ironflow_rebuild_projection_status.",
    input: z.strictObject({ name: projectionNameField }),
    output: ProjectionStatus,
  }),
  toolRow({
    ...READ_ROW,
    name: "ironflow_rebuild_projection_status",
    title: "Progress of a rebuild",
    description:
      "Reads the last rebuild of one projection: state, events processed of how many, percent, time left and error. Call it after ironflow_rebuild_projection, every few seconds, until the state is no longer running. " +
      "It starts nothing. Returns name and job; job is null when the projection was never rebuilt.",
    input: z.strictObject({ name: projectionNameField }),
    output: RebuildStatus,
  }),
  toolRow({
    ...DESTRUCTIVE_ROW,
    hints: { ...DESTRUCTIVE_ROW.hints, idempotentHint: false },
    trial: "dry_run",
    name: "ironflow_rebuild_projection",
    title: "Rebuild a projection",
    description:
      "Starts a rebuild of one projection: its read model is deleted and built anew from the stored events; until that is done readers see it incomplete. Call it with dry_run: true first: that returns the scope (job.total_events), changes nothing, and nobody is asked about it. " +
      "from_event_id, to_event_id and partition narrow the replay. Do not use it for a projection that only lags (ironflow_projection_status). It returns at once with the job; follow with ironflow_rebuild_projection_status.",
    input: z.strictObject({
      name: projectionNameField,
      dry_run: z
        .boolean()
        .default(false)
        .describe("true: only say what would be replayed. false, the default, deletes and replays."),
      from_event_id: rangeField("Id of the first event to replay; from the first of all when left out."),
      to_event_id: rangeField("Id of the last event to replay; to the newest when left out."),
      partition: rangeField("Only this partition, where the projection has a partition key."),
    }),
    output: RebuildStarted,
  }),
] as const;
