import type { FunctionRecord } from "../../mcp/contract/domain.ts";
import { keepReading, type Deps } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

/** An engine has tens of functions, not thousands; what is past this is counted, not shown. */
const MOST_FUNCTIONS = 500;

export type Functions = { readonly rows: readonly FunctionRecord[]; readonly total: number };
export type FunctionsSlice = {
  functions: Reading<Functions>;
  /** Keeps the list fresh until called off. */
  openFunctions: () => () => void;
};

export const functionsSlice: Slice<FunctionsSlice> = (set, _get, deps) => ({
  functions: LOADING,
  openFunctions() {
    set({ functions: LOADING });
    return keepFunctions(deps, (change) => set((state) => ({ functions: change(state.functions) })));
  },
});

/** Reads the functions of the engine that is shown until called off. */
export const keepFunctions = (
  deps: Deps,
  apply: (change: (before: Reading<Functions>) => Reading<Functions>) => void,
): (() => void) =>
  keepReading<Functions>(deps, {
    topics: ["functions"],
    async read() {
      const answer = await deps.call("ironflow_list_functions", { limit: MOST_FUNCTIONS });
      if (!answer.ok) return answer;
      const rows = [...answer.data.functions].sort((a, b) => a.id.localeCompare(b.id));
      return { ok: true, data: { rows, total: answer.data.total_count } };
    },
    apply,
  });
