import type { RunSummary } from "../../mcp/contract/domain.ts";
import type { ToolOutput } from "../../mcp/contract/tools.ts";
import { environmentOf } from "../dead-letters/environment.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

export type Overview = ToolOutput<"ironflow_overview">;

export type VitalsSlice = {
  overview: Reading<Overview>;
  deadLetterTotal: Reading<number>;
  /** The newest runs that stopped and will not go on by themselves. */
  stoppedRuns: Reading<readonly RunSummary[]>;
  /** Keeps what the navigation and the overview count fresh until called off. */
  followVitals: () => () => void;
};

/** The overview costs the engine several queries, so it follows changes more slowly than a list does. */
const VITALS_GAP_MS = 1_000;

const STOPPED_ROWS = 6;

export const vitalsSlice: Slice<VitalsSlice> = (set, get, deps) => ({
  overview: LOADING,
  deadLetterTotal: LOADING,
  stoppedRuns: LOADING,
  followVitals() {
    set({ overview: LOADING, deadLetterTotal: LOADING, stoppedRuns: LOADING });
    const stops = [
      get().openBreakers(),
      keepReading<Overview>(deps, {
        topics: ["runs", "events", "functions"],
        minGapMs: VITALS_GAP_MS,
        read: () => deps.call("ironflow_overview", {}),
        apply: (change) => set((state) => ({ overview: change(state.overview) })),
      }),
      keepReading<readonly RunSummary[]>(deps, {
        topics: ["runs"],
        minGapMs: VITALS_GAP_MS,
        async read() {
          const input = { status: "failed,paused", limit: STOPPED_ROWS };
          const answer = await deps.call("ironflow_list_runs", input);
          return answer.ok ? { ok: true, data: answer.data.runs } : answer;
        },
        apply: (change) => set((state) => ({ stoppedRuns: change(state.stoppedRuns) })),
      }),
      keepReading<number>(deps, {
        topics: ["dead_letters"],
        minGapMs: VITALS_GAP_MS,
        async read() {
          const env = await environmentOf(deps.call);
          if (!env.ok) return env;
          const page = await deps.call("ironflow_dead_letter_list", { env: env.data, limit: 1 });
          return page.ok ? { ok: true, data: page.data.total } : page;
        },
        apply: (change) => set((state) => ({ deadLetterTotal: change(state.deadLetterTotal) })),
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
});
