import { describe, expect, test } from "vitest";
import type { EventRecord } from "../../mcp/contract/domain.ts";
import { applyNewer, applyOlder, applyRelease, MOST_EVENTS, type EventWindow } from "./event-window.ts";

const event = (id: string): EventRecord => ({
  id,
  name: "n",
  timestamp: "2026-01-01T00:00:00Z",
  source: "api",
  data: null,
});
const window: EventWindow = { rows: [event("2"), event("1")], next: "1", waiting: [], overflow: false };
const ids = (rows: readonly EventRecord[]) => rows.map(({ id }) => id);

describe("a live list of events", () => {
  test("shows new events at once, without the boundary event that is sent again", () => {
    const after = applyNewer(window, [event("3"), event("2")], { pinned: false, more: false });
    expect(ids(after.rows)).toEqual(["3", "2", "1"]);
    expect(after.waiting).toEqual([]);
  });

  test("lets them wait while it is read further down, each of them once", () => {
    const once = applyNewer(window, [event("3"), event("2")], { pinned: true, more: false });
    const twice = applyNewer(once, [event("4"), event("3"), event("2")], { pinned: true, more: false });
    expect(ids(twice.rows)).toEqual(["2", "1"]);
    expect(ids(twice.waiting)).toEqual(["4", "3"]);
    expect(ids(applyRelease(twice).rows)).toEqual(["4", "3", "2", "1"]);
  });

  test("remembers that more came than were fetched until it is read anew", () => {
    const after = applyNewer(window, [event("9")], { pinned: true, more: true });
    expect(applyNewer(after, [], { pinned: true, more: false }).overflow).toBe(true);
  });

  test("older pages go to the end, and the last one ends the list", () => {
    const after = applyOlder(window, [event("1"), event("0")], null);
    expect(ids(after.rows)).toEqual(["2", "1", "0"]);
    expect(after.next).toBeNull();
  });

  test("is never longer than its bound, and then offers nothing older", () => {
    const many = Array.from({ length: MOST_EVENTS }, (_, index) => event(`x${index}`));
    const after = applyOlder(window, many, "more");
    expect(after.rows).toHaveLength(MOST_EVENTS);
    expect(after.next).toBeNull();
  });
});
