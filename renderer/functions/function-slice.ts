import type { FunctionDetail, FunctionVersion, RunSummary } from "../../mcp/contract/domain.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

/** Its newest runs; for the others there is a link to the list. */
const RUN_ROWS = 20;
/** Its newest versions. */
const VERSION_ROWS = 20;

export type FunctionRuns = { readonly rows: readonly RunSummary[]; readonly total: number };

export type FunctionVersions = { readonly rows: readonly FunctionVersion[]; readonly total: number };

export type FunctionSlice = {
  functionDetail: Reading<FunctionDetail>;
  functionRuns: Reading<FunctionRuns>;
  /** Its newest versions; null where the engine does not tell. */
  functionVersions: Reading<FunctionVersions | null>;
  /** Shows one function and its newest runs until called off. */
  openFunction: (functionId: string) => () => void;
};

export const functionSlice: Slice<FunctionSlice> = (set, _get, deps) => ({
  functionDetail: LOADING,
  functionRuns: LOADING,
  functionVersions: LOADING,
  openFunction(functionId) {
    set({ functionDetail: LOADING, functionRuns: LOADING, functionVersions: LOADING });
    const stops = [
      keepReading<FunctionDetail>(deps, {
        topics: ["functions"],
        read: () => deps.call("ironflow_get_function", { function_id: functionId }),
        apply: (change) => set((state) => ({ functionDetail: change(state.functionDetail) })),
      }),
      keepReading<FunctionVersions | null>(deps, {
        topics: ["functions"],
        async read() {
          const answer = await deps.call("ironbridge_function_history", {
            function_id: functionId,
            limit: VERSION_ROWS,
          });
          if (answer.ok) {
            return { ok: true, data: { rows: answer.data.versions, total: answer.data.total_count } };
          }
          return answer.error.code === "unimplemented" ? { ok: true, data: null } : answer;
        },
        apply: (change) => set((state) => ({ functionVersions: change(state.functionVersions) })),
      }),
      keepReading<FunctionRuns>(deps, {
        topics: ["runs"],
        async read() {
          const answer = await deps.call("ironflow_list_runs", { function_id: functionId, limit: RUN_ROWS });
          if (!answer.ok) return answer;
          return { ok: true, data: { rows: answer.data.runs, total: answer.data.total_count } };
        },
        apply: (change) => set((state) => ({ functionRuns: change(state.functionRuns) })),
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
});
