import type { EventRow } from "../store/events.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRow } from "../store/steps.ts";
import type { Store } from "../store/store.ts";
import type { StreamRange, StreamRow } from "../store/streams.ts";

/** An event of a stream and the runs that it started, with their steps. */
export interface HistoryEntry {
  event: EventRow;
  runs: { run: RunRow; steps: StepRow[] }[];
}

/** A page ends with the event whose runs have more steps than this together. */
const maxStepsPerPage = 5_000;

/** Data of the events of one page, bytes; a page has one event at least. */
export const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** A stream's events in the range's direction. `nextCursor` is the version the next page begins with, 0 when there is none. */
export function readHistory(
  store: Store,
  stream: StreamRow,
  range: StreamRange,
): { entries: HistoryEntry[]; nextCursor: number } {
  const events = store.streams.read(stream, { ...range, limit: range.limit + 1 }, MAX_PAGE_BYTES);
  const entries: HistoryEntry[] = [];
  let steps = 0;
  for (const event of events.slice(0, range.limit)) {
    const runs = store.runs.byEvent(event.id).map((run) => ({ run, steps: store.steps.byRun(run.id) }));
    entries.push({ event, runs });
    steps += runs.reduce((sum, one) => sum + one.steps.length, 0);
    if (steps > maxStepsPerPage) break;
  }
  const last = entries.at(-1)?.event.entity_version ?? 0;
  const next = range.backward ? last - 1 : last + 1;
  // Fewer than asked for may also mean that their data filled the page: then the range goes on.
  const more =
    last > 0 && store.streams.read(stream, { ...range, fromVersion: next, limit: 1 }, 0).length > 0;
  return { entries, nextCursor: more && next > 0 ? next : 0 };
}
