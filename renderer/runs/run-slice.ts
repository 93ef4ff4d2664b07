import type { Run, RunAttempt, Step } from "../../mcp/contract/domain.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { Answer } from "../store/answer.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

export type RunDetail = {
  readonly run: Run;
  readonly steps: readonly Step[];
  /** Attempts that failed, oldest first; null where the engine does not tell. */
  readonly attempts: readonly RunAttempt[] | null;
};

export type RunSlice = {
  run: Reading<RunDetail>;
  /** Shows one run with its steps and keeps it fresh until called off. */
  openRun: (runId: string) => () => void;
};

export const runSlice: Slice<RunSlice> = (set, _get, deps) => ({
  run: LOADING,
  openRun(runId) {
    set({ run: LOADING });
    return keepReading<RunDetail>(deps, {
      topics: ["runs"],
      async read(): Promise<Answer<RunDetail>> {
        // Both at once may catch the run between two steps; the change that caused it has them read again.
        const [run, steps, attempts] = await Promise.all([
          deps.call("ironflow_get_run", { run_id: runId }),
          deps.call("ironflow_get_run_steps", { run_id: runId }),
          deps.call("ironbridge_get_run_attempts", { run_id: runId }),
        ]);
        if (!run.ok) return run;
        if (!steps.ok) return steps;
        if (!attempts.ok && attempts.error.code !== "unimplemented") return attempts;
        return {
          ok: true,
          data: {
            run: run.data,
            steps: inOrder(steps.data.steps),
            attempts: attempts.ok ? attempts.data.attempts : null,
          },
        };
      },
      apply: (change) => set((state) => ({ run: change(state.run) })),
    });
  },
});

const inOrder = (steps: readonly Step[]): readonly Step[] =>
  [...steps].sort((a, b) => a.sequence - b.sequence);

/** The engine knows no such run: deleted, or of another engine. */
export const isGone = (problem: ToolError): boolean => problem.code === "not_found";
