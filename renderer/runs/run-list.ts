import type { ToolError } from "../../mcp/contract/errors.ts";
import type { Answer } from "../store/answer.ts";
import { MIN_GAP_MS, type Call } from "../store/deps.ts";
import { watch, type Clock } from "../store/watch.ts";
import { windowStart } from "../store/time-window.ts";
import { runFiltersInput, type RunFilters } from "./run-filters.ts";
import {
  applyPage,
  EMPTY_WINDOW,
  missingPages,
  PAGE_ROWS,
  pinPoint,
  type Range,
  type RunWindow,
} from "./run-window.ts";

export type RunList = {
  /** The rows on screen now. Reads those that are missing. */
  show: (range: Range) => void;
  /** Pins the list for reading, or lets it follow the newest runs again. */
  pin: (pinned: boolean) => void;
  /** Something changed: rows on screen are read again, the others when they come on screen. */
  refresh: () => void;
  stop: () => void;
};

/** Reads a long list of runs page by page, only what is on screen, and tells `onChange` what it holds. */
export function createRunList(options: {
  filters: RunFilters;
  call: Call;
  clock: Clock;
  pollMs: () => number | undefined;
  onChange: (window: RunWindow, problem: ToolError | null) => void;
}): RunList {
  const { call, clock, filters } = options;
  let window = EMPTY_WINDOW;
  let range: Range = { first: 0, last: PAGE_ROWS - 1 };
  let generation = 0;

  async function list(page: { limit: number; offset: number; since?: string | null; until?: string | null }) {
    const since = page.since ?? windowStart(filters.window, clock.now());
    const bounds = { ...(since !== undefined && { since }), ...(page.until && { until: page.until }) };
    const { limit, offset } = page;
    return call("ironflow_list_runs", { ...runFiltersInput(filters), ...bounds, limit, offset });
  }

  /** Reads one page and puts it in, unless the list was pinned or let go meanwhile: then its rows have other places. */
  async function readPage(page: number, stillWanted: () => boolean): Promise<Answer<unknown>> {
    const pinnedUntil = window.pinnedUntil;
    const read = generation;
    const offset = page * PAGE_ROWS;
    const answer = await list({ limit: PAGE_ROWS, offset, until: pinnedUntil });
    if (!answer.ok || !stillWanted() || window.pinnedUntil !== pinnedUntil) return answer;
    const { runs, total_count } = answer.data;
    window = applyPage(window, page, { rows: runs, total: total_count, generation: read });
    return answer;
  }

  async function countNewer(stillWanted: () => boolean): Promise<Answer<unknown>> {
    const since = window.pinnedUntil;
    const answer = await list({ limit: 1, offset: 0, since });
    if (answer.ok && stillWanted() && window.pinnedUntil === since) {
      window = { ...window, newer: answer.data.total_count };
    }
    return answer;
  }

  const attempt = (page: number) => `${generation} ${window.pinnedUntil} ${page}`;
  /** The change up to which the newer runs are counted: scrolling alone counts nothing. */
  let counted = "";

  async function read(stillWanted: () => boolean): Promise<boolean> {
    // Nothing is missing, so nobody scrolled: this read is a poll, and what is on screen counts as old.
    if (missingPages(window, range, generation).length === 0) generation += 1;
    // A new range or pin while reading changes what is missing, so it is looked up anew after each page.
    const tried = new Set<string>();
    for (;;) {
      const page = missingPages(window, range, generation).find((missing) => !tried.has(attempt(missing)));
      if (page === undefined) break;
      tried.add(attempt(page));
      const answer = await readPage(page, stillWanted);
      if (!stillWanted()) return true;
      options.onChange(window, answer.ok ? null : answer.error);
      if (!answer.ok) return false;
    }
    const counting = attempt(0);
    if (window.pinnedUntil === null || counted === counting) return true;
    const answer = await countNewer(stillWanted);
    if (answer.ok) counted = counting;
    if (stillWanted()) options.onChange(window, answer.ok ? null : answer.error);
    return answer.ok;
  }

  // Scrolling must not wait for the gap between refreshes, so that gap is kept here.
  const reader = watch({ clock, minGapMs: 0, everyMs: options.pollMs, read });
  let refreshedAt = -Infinity;
  let callOff = () => {};

  return {
    show(next) {
      range = next;
      if (missingPages(window, range, generation).length > 0) reader.refresh();
    },
    pin(pinned) {
      if (pinned === (window.pinnedUntil !== null)) return;
      window = { ...window, pinnedUntil: pinned ? pinPoint(window) : null, newer: 0 };
      if (!pinned) generation += 1;
      options.onChange(window, null);
      reader.refresh();
    },
    refresh() {
      callOff();
      callOff = clock.later(Math.max(0, refreshedAt + MIN_GAP_MS - clock.now()), () => {
        refreshedAt = clock.now();
        generation += 1;
        reader.refresh();
      });
    },
    stop() {
      callOff();
      reader.stop();
    },
  };
}
