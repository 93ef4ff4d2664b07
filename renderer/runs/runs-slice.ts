import type { ToolError } from "../../mcp/contract/errors.ts";
import { applyAnswer, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { appFailure } from "../store/answer.ts";
import { keepReading } from "../store/deps.ts";
import type { RunFilters } from "./run-filters.ts";
import { FOUND_MAX, readFound, searchQuery, type FoundRuns } from "./run-search.ts";
import { createRunList, type RunList } from "./run-list.ts";
import type { Range, RunWindow } from "./run-window.ts";

export type RunsSlice = {
  runs: Reading<RunWindow>;
  /** Shows the runs that pass the filters and keeps them fresh until called off. */
  openRuns: (filters: RunFilters) => () => void;
  showRuns: (range: Range) => void;
  pinRuns: (pinned: boolean) => void;
  /** The newest runs in which the filters' text occurs. */
  foundRuns: Reading<FoundRuns>;
  /** Looks for them, again with every change, until called off. */
  findRuns: (filters: RunFilters) => () => void;
};

/** Every table row is looked at: that is not done with every change of a busy engine. */
const FIND_GAP_MS = 3_000;

export const runsSlice: Slice<RunsSlice> = (set, get, deps) => {
  let list: RunList | undefined;

  function apply(window: RunWindow, problem: ToolError | null) {
    const answer =
      problem === null ? ({ ok: true, data: window } as const) : ({ ok: false, error: problem } as const);
    set({ runs: applyAnswer(get().runs, answer, deps.clock.now()) });
  }

  return {
    runs: LOADING,
    openRuns(filters) {
      set({ runs: LOADING });
      const opened = createRunList({ ...deps, filters, onChange: apply });
      list = opened;
      const unlisten = deps.changes.listen(["runs"], opened.refresh);
      return () => {
        unlisten();
        opened.stop();
        if (list === opened) list = undefined;
      };
    },
    showRuns: (range) => list?.show(range),
    pinRuns: (pinned) => list?.pin(pinned),
    foundRuns: LOADING,
    findRuns(filters) {
      set({ foundRuns: LOADING });
      return keepReading<FoundRuns>(deps, {
        topics: ["runs"],
        minGapMs: FIND_GAP_MS,
        async read() {
          const query = searchQuery(filters, deps.clock.now());
          const answer = await deps.call("ironflow_sql_query", { query, max_rows: FOUND_MAX + 1 });
          if (!answer.ok) return answer;
          const data = readFound(answer.data);
          if (data === undefined) return appFailure("the rows have an unknown shape", "bad_answer");
          return { ok: true, data };
        },
        apply: (change) => set((state) => ({ foundRuns: change(state.foundRuns) })),
      });
    },
  };
};
