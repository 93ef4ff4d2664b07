import type { EventRecord, RunSummary } from "../../mcp/contract/domain.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

/** Runs that one event started; past this many there is a link to the list. */
const RUN_ROWS = 50;

export type EventRuns = { readonly rows: readonly RunSummary[]; readonly total: number };

export type EventSlice = {
  event: Reading<EventRecord>;
  eventRuns: Reading<EventRuns>;
  /** Shows one event and the runs that it started until called off. */
  openEvent: (eventId: string) => () => void;
};

export const eventSlice: Slice<EventSlice> = (set, _get, deps) => ({
  event: LOADING,
  eventRuns: LOADING,
  openEvent(eventId) {
    set({ event: LOADING, eventRuns: LOADING });
    const stops = [
      keepReading<EventRecord>(deps, {
        // An event does not change, unless it is redacted.
        topics: ["events"],
        minGapMs: 2_000,
        read: () => deps.call("ironbridge_get_event", { event_id: eventId }),
        apply: (change) => set((state) => ({ event: change(state.event) })),
      }),
      keepReading<EventRuns>(deps, {
        topics: ["runs"],
        async read() {
          const answer = await deps.call("ironflow_list_runs", { event_id: eventId, limit: RUN_ROWS });
          if (!answer.ok) return answer;
          return { ok: true, data: { rows: answer.data.runs, total: answer.data.total_count } };
        },
        apply: (change) => set((state) => ({ eventRuns: change(state.eventRuns) })),
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
});
