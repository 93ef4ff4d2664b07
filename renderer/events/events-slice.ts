import type { Answer } from "../store/answer.ts";
import { MIN_GAP_MS } from "../store/deps.ts";
import { applyAnswer, dataOf, LOADING, mapReading, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { watch, type Watch } from "../store/watch.ts";
import { eventFiltersInput, type EventFilters } from "./event-filters.ts";
import { applyNewer, applyOlder, applyRelease, type EventWindow } from "./event-window.ts";

const PAGE_ROWS = 100;
/** The most an engine gives in one page. */
const NEWER_ROWS = 200;

export type EventsSlice = {
  events: Reading<EventWindow>;
  /** True while an older page is being read. */
  olderUnderWay: boolean;
  /** Shows the events that pass the filters and keeps them fresh until called off. */
  openEvents: (filters: EventFilters) => () => void;
  loadOlderEvents: () => void;
  pinEvents: (pinned: boolean) => void;
};

export const eventsSlice: Slice<EventsSlice> = (set, get, deps) => {
  let opened: { filters: EventFilters; watching: Watch } | undefined;
  let pinned = false;

  const apply = (answer: Answer<EventWindow>) =>
    set(({ events }) => ({ events: applyAnswer(events, answer, deps.clock.now()) }));

  async function readFirst(filters: EventFilters): Promise<Answer<EventWindow>> {
    const input = eventFiltersInput(filters, deps.clock.now());
    const answer = await deps.call("ironflow_list_events", { ...input, limit: PAGE_ROWS });
    if (!answer.ok) return answer;
    const { events, next_cursor } = answer.data;
    return { ok: true, data: { rows: events, next: next_cursor ?? null, waiting: [], overflow: false } };
  }

  /** Everything since the newest event that is known. The cursors only walk through history. */
  async function readNewer(filters: EventFilters, window: EventWindow): Promise<Answer<EventWindow>> {
    const newest = window.waiting[0] ?? window.rows[0];
    if (newest === undefined || (window.overflow && !pinned)) return readFirst(filters);
    const input = {
      ...eventFiltersInput(filters, deps.clock.now()),
      since: newest.timestamp,
      limit: NEWER_ROWS,
    };
    const answer = await deps.call("ironflow_list_events", input);
    if (!answer.ok) return answer;
    const { events, has_next } = answer.data;
    if (has_next && !pinned) return readFirst(filters);
    // Older pages may have been read meanwhile, so the answer is applied to the list as it is now.
    const now = dataOf(get().events) ?? window;
    return { ok: true, data: applyNewer(now, events, { pinned, more: has_next }) };
  }

  return {
    events: LOADING,
    olderUnderWay: false,
    openEvents(filters) {
      set({ events: LOADING, olderUnderWay: false });
      pinned = false;
      const watching = watch({
        clock: deps.clock,
        minGapMs: MIN_GAP_MS,
        everyMs: deps.pollMs,
        async read(stillWanted) {
          const window = dataOf(get().events);
          const answer = window === undefined ? await readFirst(filters) : await readNewer(filters, window);
          if (stillWanted()) apply(answer);
          return answer.ok;
        },
      });
      opened = { filters, watching };
      const unlisten = deps.changes.listen(["events"], watching.refresh);
      return () => {
        unlisten();
        watching.stop();
        if (opened?.watching === watching) opened = undefined;
      };
    },
    loadOlderEvents() {
      const here = opened;
      const window = dataOf(get().events);
      if (here === undefined || window?.next == null || get().olderUnderWay) return;
      set({ olderUnderWay: true });
      const input = eventFiltersInput(here.filters, deps.clock.now());
      void deps
        .call("ironflow_list_events", { ...input, cursor: window.next, limit: PAGE_ROWS })
        .then((answer) => {
          if (opened !== here) return;
          set({ olderUnderWay: false });
          if (!answer.ok) return apply(answer);
          const { events, next_cursor } = answer.data;
          set((state) => ({
            events: mapReading(state.events, (before) => applyOlder(before, events, next_cursor ?? null)),
          }));
        });
    },
    pinEvents(next) {
      if (pinned === next) return;
      pinned = next;
      if (pinned) return;
      if (dataOf(get().events)?.overflow === true) opened?.watching.refresh();
      else set((state) => ({ events: mapReading(state.events, applyRelease) }));
    },
  };
};
