import { describe, expect, test } from "vitest";
import type { RunSummary } from "../../mcp/contract/domain.ts";
import { applyPage, EMPTY_WINDOW, KEPT_PAGES, missingPages, PAGE_ROWS, pinPoint } from "./run-window.ts";

const rows = (count: number, created_at = "2026-03-01T10:00:00.123456Z") =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, created_at })) as RunSummary[];

describe("the window of loaded pages", () => {
  test("pages of an older generation are missing, pages past the end are not", () => {
    const window = applyPage(EMPTY_WINDOW, 0, { rows: rows(PAGE_ROWS), total: 250, generation: 1 });
    expect(missingPages(window, { first: 0, last: 99 }, 1)).toEqual([]);
    expect(missingPages(window, { first: 0, last: 99 }, 2)).toEqual([0]);
    expect(missingPages(window, { first: 50, last: 10_000 }, 1)).toEqual([1, 2]);
  });

  test("an empty list still asks for its first page", () => {
    expect(missingPages(EMPTY_WINDOW, { first: 0, last: 40 }, 0)).toEqual([0]);
  });

  test("a shorter list lets go of pages past its end", () => {
    let window = applyPage(EMPTY_WINDOW, 0, { rows: rows(PAGE_ROWS), total: 300, generation: 1 });
    window = applyPage(window, 2, { rows: rows(PAGE_ROWS), total: 300, generation: 1 });
    window = applyPage(window, 0, { rows: rows(PAGE_ROWS), total: 150, generation: 2 });
    expect([...window.pages.keys()]).toEqual([0]);
  });

  test("pages furthest from the one just read go first", () => {
    let window = EMPTY_WINDOW;
    for (let page = 0; page <= KEPT_PAGES; page += 1) {
      window = applyPage(window, page, { rows: rows(PAGE_ROWS), total: 1_000_000, generation: 1 });
    }
    expect(window.pages.size).toBe(KEPT_PAGES);
    expect(window.pages.has(0)).toBe(false);
    expect(window.pages.has(KEPT_PAGES)).toBe(true);
  });

  test("the pin lies just after the newest run, and an empty list has none", () => {
    const window = applyPage(EMPTY_WINDOW, 0, { rows: rows(1), total: 1, generation: 1 });
    expect(pinPoint(window)).toBe("2026-03-01T10:00:00.124Z");
    expect(pinPoint(EMPTY_WINDOW)).toBeNull();
  });
});
