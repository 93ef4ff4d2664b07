import { expect } from "@playwright/test";
import * as z from "zod/v4";
import { RunSummary } from "../../mcp/contract/domain.ts";
import { ToolError } from "../../mcp/contract/errors.ts";
import type { Agent, CallResult } from "./agent.ts";

const Runs = z.object({ runs: z.array(RunSummary) });

/** The error object of a call that was refused or failed. */
export const errorOf = (result: CallResult): ToolError => {
  expect(result.isError, result.text).toBe(true);
  return ToolError.parse(JSON.parse(result.text));
};

async function runsOf(agent: Agent, status: string): Promise<RunSummary[]> {
  const answer = await agent.call("ironflow_list_runs", { status, limit: 100 });
  return Runs.parse(answer.structured).runs;
}

/** At least so many completed runs of the demo. */
export async function completedRuns(agent: Agent, count: number): Promise<RunSummary[]> {
  let runs: RunSummary[] = [];
  await expect
    .poll(
      async () => {
        runs = await runsOf(agent, "completed");
        return runs.length;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThanOrEqual(count);
  return runs;
}
