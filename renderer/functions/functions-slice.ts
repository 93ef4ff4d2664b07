import * as z from "zod/v4";
import { FunctionRecord } from "../../mcp/contract/domain.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

/** An engine has tens of functions, not thousands; what is past this is counted, not shown. */
const MOST_FUNCTIONS = 500;

export type Functions = { readonly rows: readonly FunctionRecord[]; readonly total: number };
const ListFunctions = z.object({
  functions: z.array(FunctionRecord),
  total_count: z.number().int().optional(),
});

export type FunctionsSlice = {
  functions: Reading<Functions>;
  /** Keeps the list fresh until called off. */
  openFunctions: () => () => void;
};

export const functionsSlice: Slice<FunctionsSlice> = (set, _get, deps) => ({
  functions: LOADING,
  openFunctions() {
    set({ functions: LOADING });
    return keepReading<Functions>(deps, {
      topics: ["functions"],
      async read() {
        const answer = await deps.call("ironflow_list_functions", { limit: MOST_FUNCTIONS }, ListFunctions);
        if (!answer.ok) return answer;
        const rows = [...answer.data.functions].sort((a, b) => a.id.localeCompare(b.id));
        return { ok: true, data: { rows, total: answer.data.total_count ?? rows.length } };
      },
      apply: (change) => set((state) => ({ functions: change(state.functions) })),
    });
  },
});
