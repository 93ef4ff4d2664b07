import type { ToolError } from "../../mcp/contract/errors.ts";
import { applyAnswer, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import type { RunFilters } from "./run-filters.ts";
import { createRunList, type RunList } from "./run-list.ts";
import type { Range, RunWindow } from "./run-window.ts";

export type RunsSlice = {
  runs: Reading<RunWindow>;
  /** Shows the runs that pass the filters and keeps them fresh until called off. */
  openRuns: (filters: RunFilters) => () => void;
  showRuns: (range: Range) => void;
  pinRuns: (pinned: boolean) => void;
};

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
  };
};
