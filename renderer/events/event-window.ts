import type { EventRecord } from "../../mcp/contract/domain.ts";

/**
 * The newest part of an endless list. `next` walks to older events. While somebody reads further down, events that come
 * in wait in `waiting`; `overflow` means that more came than were fetched, so the list must be read anew to show them.
 */
export type EventWindow = {
  readonly rows: readonly EventRecord[];
  readonly next: string | null;
  readonly waiting: readonly EventRecord[];
  readonly overflow: boolean;
};

/** More rows than this are not kept; a shorter window or a filter shows the older ones. */
export const MOST_EVENTS = 10_000;

const without = (rows: readonly EventRecord[], known: readonly EventRecord[]): readonly EventRecord[] => {
  const ids = new Set(known.map(({ id }) => id));
  return rows.filter(({ id }) => !ids.has(id));
};

/** Events that came in, newest first; those that are there already are dropped. */
export function applyNewer(
  window: EventWindow,
  newer: readonly EventRecord[],
  how: { readonly pinned: boolean; readonly more: boolean },
): EventWindow {
  const news = without(newer, [...window.waiting, ...window.rows]);
  const overflow = window.overflow || how.more;
  if (how.pinned) return { ...window, waiting: [...news, ...window.waiting], overflow };
  return { ...window, rows: cap([...news, ...window.waiting, ...window.rows]), waiting: [], overflow };
}

/** One page of older events, put at the end. */
export function applyOlder(
  window: EventWindow,
  older: readonly EventRecord[],
  next: string | null,
): EventWindow {
  const rows = [...window.rows, ...without(older, window.rows)];
  return { ...window, rows: cap(rows), next: rows.length >= MOST_EVENTS ? null : next };
}

/** Lets the waiting events in. */
export const applyRelease = (window: EventWindow): EventWindow => ({
  ...window,
  rows: cap([...window.waiting, ...window.rows]),
  waiting: [],
});

const cap = (rows: readonly EventRecord[]): readonly EventRecord[] => rows.slice(0, MOST_EVENTS);
