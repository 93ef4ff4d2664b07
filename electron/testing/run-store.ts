import type { CallToolResult } from "@modelcontextprotocol/server";
import { errorResult } from "../mcp-endpoint/tool-result.ts";

/** A run as the tool server answers it, and what a test changes about it. */
export function runStore() {
  const runs = new Map<string, { status: string; steps: number }>([
    ["run_1", { status: "failed", steps: 2 }],
  ]);
  const calls: { tool: string; args: Readonly<Record<string, unknown>> }[] = [];
  const time = "2026-01-01T00:00:00Z";

  function structured(content: Record<string, unknown>): CallToolResult {
    return { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: content };
  }

  return {
    runs,
    calls,
    async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<CallToolResult> {
      calls.push({ tool, args });
      const id = String(args["run_id"]);
      const run = runs.get(id);
      if (run === undefined)
        return errorResult({ error: `run ${id} not found`, code: "not_found", retryable: false });
      if (tool === "ironflow_get_run") {
        return structured({
          id,
          function_id: "fulfil-order",
          event_id: "evt_1",
          execution_mode: "durable",
          status: run.status,
          attempt: 1,
          max_attempts: 3,
          created_at: time,
          updated_at: time,
        });
      }
      if (tool === "ironflow_get_run_steps") {
        const step = (at: number) => ({
          id: `step_${at}`,
          run_id: id,
          step_id: `s${at}`,
          name: `step ${at}`,
          step_type: "invoke",
          sequence: at,
          status: "completed",
          attempt: 1,
        });
        return structured({
          steps: Array.from({ length: run.steps }, (_, at) => step(at)),
          count: run.steps,
        });
      }
      if (tool === "ironflow_delete_run") runs.delete(id);
      return structured({ run_id: id });
    },
    /** Calls that were not reads. */
    changes: () => calls.filter(({ tool }) => !tool.startsWith("ironflow_get_")),
  };
}
