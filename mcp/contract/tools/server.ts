import * as z from "zod/v4";
import { READ_HINTS, toolRow } from "../tool-row.ts";

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

export const SERVER_ROWS = [
  toolRow({
    name: "ironflow_server_info",
    title: "Engine health and version",
    description:
      "Says which workflow engine these tools talk to, whether it is healthy, and its version. Call it first when you are not sure that you are on the right engine, or when other tools fail. " +
      "For counts and recent activity use ironflow_overview; this tool returns status, version, url, and authorized: false when the engine refuses the API key.",
    input: z.strictObject({}),
    output: ServerInfo,
    hints: READ_HINTS,
    risk: "read",
    permission: "mcp.call",
    mode: "read",
    for: "both",
  }),
] as const;
