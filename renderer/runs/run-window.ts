import type { RunSummary } from "../../mcp/contract/domain.ts";

/**
 * The part of a long list that is in memory: whole pages by their number, newest run first. While somebody reads
 * further down the list is pinned: it holds runs created before `pinnedUntil` only, so rows keep their places, and runs
 * that came later are counted in `newer`.
 */
export type RunWindow = {
  readonly total: number;
  readonly pages: ReadonlyMap<number, RunPage>;
  readonly pinnedUntil: string | null;
  readonly newer: number;
};
/** `generation` tells pages read before the last change from those read after it. */
export type RunPage = { readonly rows: readonly RunSummary[]; readonly generation: number };

export const PAGE_ROWS = 100;
export const KEPT_PAGES = 24;
export const EMPTY_WINDOW: RunWindow = { total: 0, pages: new Map(), pinnedUntil: null, newer: 0 };

/** Rows from `first` to `last`, both included. */
export type Range = { readonly first: number; readonly last: number };

const pageOf = (row: number): number => Math.floor(row / PAGE_ROWS);

export function rowAt(window: RunWindow, index: number): RunSummary | undefined {
  return window.pages.get(pageOf(index))?.rows[index % PAGE_ROWS];
}

/** Pages that a range shows and that were not read since the last change, nearest the top first. */
export function missingPages(window: RunWindow, range: Range, generation: number): number[] {
  const lastPage = Math.max(0, pageOf(window.total - 1));
  const missing: number[] = [];
  for (let page = pageOf(range.first); page <= Math.min(pageOf(range.last), lastPage); page += 1) {
    if (window.pages.get(page)?.generation !== generation) missing.push(page);
  }
  return missing;
}

/** Puts one page in, and lets go of pages past the new end and of those furthest from it. */
export function applyPage(
  window: RunWindow,
  page: number,
  answer: { readonly rows: readonly RunSummary[]; readonly total: number; readonly generation: number },
): RunWindow {
  const pages = new Map(window.pages);
  pages.set(page, { rows: answer.rows, generation: answer.generation });
  for (const kept of pages.keys()) if (kept * PAGE_ROWS >= answer.total) pages.delete(kept);
  const byDistance = [...pages.keys()].sort((a, b) => Math.abs(b - page) - Math.abs(a - page));
  for (const far of byDistance.slice(0, Math.max(0, pages.size - KEPT_PAGES))) pages.delete(far);
  return { ...window, total: answer.total, pages };
}

/** The instant just after the newest run in the list: rows before it stay where they are. Null when there is none. */
export function pinPoint(window: RunWindow): string | null {
  const newest = rowAt(window, 0);
  if (newest === undefined) return null;
  const ms = Date.parse(newest.created_at);
  return Number.isNaN(ms) ? null : new Date(ms + 1).toISOString();
}
