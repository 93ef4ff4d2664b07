import * as z from "zod/v4";
import { EventSummary, RunSummary } from "../domain.ts";
import { READ_ROW, toolRow } from "../tool-row.ts";

export const ServerInfo = z.looseObject({
  status: z.string().describe("healthy, or the engine's own word for what is wrong."),
  version: z.string().describe("Version of the engine."),
  url: z.string().describe("Address of the engine that these tools talk to."),
  authorized: z
    .boolean()
    .optional()
    .describe("False when the engine refuses the API key in use: every other tool fails then."),
  started_at: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});
export type ServerInfo = z.infer<typeof ServerInfo>;

export const Overview = z.looseObject({
  function_count: z.number().int(),
  active_runs: z.number().int(),
  connected_workers: z.number().int().describe("Pull workers; push functions need none."),
  failed_runs_24h: z.number().int().describe("Runs created in the last 24 hours that are failed now."),
  paused_runs: z
    .number()
    .int()
    .describe("Runs that are held, for example because their retries are used up."),
  recent_runs: z.array(RunSummary).describe("The 10 newest, without payloads."),
  recent_events: z.array(EventSummary).describe("The 10 newest, without payloads."),
});
export type Overview = z.infer<typeof Overview>;

export const SERVER_ROWS = [
  toolRow({
    ...READ_ROW,
    name: "ironflow_server_info",
    title: "Engine health and version",
    description:
      "Says which workflow engine these tools talk to, whether it is healthy, and its version. Call it first when you are not sure that you are on the right engine, or when other tools fail. " +
      "For counts and recent activity use ironflow_overview; this tool returns status, version, url, and authorized: false when the engine refuses the API key.",
    input: z.strictObject({}),
    output: ServerInfo,
  }),
  toolRow({
    ...READ_ROW,
    name: "ironflow_overview",
    title: "Overview",
    description:
      "One look at the engine: how many functions, active runs, connected workers, runs failed in the last 24 hours and paused runs, with the newest runs and events. A good first call when you are asked whether all is well. " +
      "The counts say that something is wrong, not what: go on with ironflow_list_runs. Returns counts, recent_runs and recent_events without payloads.",
    input: z.strictObject({}),
    output: Overview,
  }),
] as const;
