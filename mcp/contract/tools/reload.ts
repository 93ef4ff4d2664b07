import * as z from "zod/v4";
import { READ_HINTS, toolRow } from "../tool-row.ts";

export const Reloaded = z.looseObject({
  reloaded: z.boolean().describe("Whether newer code than the baseline's is registered."),
  changed: z
    .array(
      z.object({
        kind: z.enum(["function", "projection"]),
        id: z.string(),
        from_version: z.number().int().nullable().describe("null: it is new."),
        to_version: z.number().int(),
      }),
    )
    .describe("What was registered anew since the baseline."),
  baseline: z.object({
    at: z.string(),
    what: z.string().describe("The call whose code counts as tested, or the start of this server."),
  }),
  waited_ms: z.number().int(),
});
export type Reloaded = z.infer<typeof Reloaded>;

export const RELOAD_ROWS = [
  toolRow({
    name: "ironflow_await_reload",
    title: "Wait until edited code is registered",
    description:
      "Waits until the dev server has registered your edited functions or projections anew, past the version that your last ironflow_emit_event or ironflow_invoke_function tested; returns at once if it has already. Call it after you edit code and before you emit or invoke, so that you do not test the old code: edit, ironflow_await_reload, emit. " +
      "It gives up after about 15 seconds with reloaded: false: then the watcher is not running, or the edit did not change what is registered. It is advice and blocks nothing. Do not call it when you edited nothing: it would wait for nothing.",
    input: z.strictObject({}),
    output: Reloaded,
    hints: READ_HINTS,
    risk: "read",
    permission: "mcp.write",
    mode: "evidence",
    for: "both",
  }),
] as const;
