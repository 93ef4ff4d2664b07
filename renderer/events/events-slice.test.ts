import { beforeEach, describe, expect, test } from "vitest";
import type { EventRecord } from "../../mcp/contract/domain.ts";
import { ListEventsInput } from "../../mcp/contract/tools/events.ts";
import { createChanges } from "../store/changes.ts";
import type { Call, Deps } from "../store/deps.ts";
import { handClock, settle } from "../store/hand-clock.test-help.ts";
import { dataOf } from "../store/reading.ts";
import type { AppState } from "../store/store.ts";
import { readEventFilters } from "./event-filters.ts";
import { eventsSlice, type EventsSlice } from "./events-slice.ts";

const START = Date.parse("2026-03-01T10:00:00.000Z");
const event = (number: number): EventRecord => ({
  id: `evt_${number}`,
  name: "n",
  timestamp: new Date(START + number * 1_000).toISOString(),
  source: "api",
  data: null,
});

let events: EventRecord[];
let asked: { cursor?: string | undefined; since?: string | undefined }[];
let state: EventsSlice;
let deps: Deps;
let clock: ReturnType<typeof handClock>;

/** As the contract says: newest first, `since` inclusive, `cursor` walks to older events, 200 at most. */
const call = (async (_tool: string, raw: unknown) => {
  const input = ListEventsInput.parse(raw);
  asked.push(input);
  const { since = "", cursor, limit } = input;
  const found = events.filter(({ timestamp }) => timestamp >= since);
  const from = cursor === undefined ? 0 : found.findIndex(({ id }) => id === cursor) + 1;
  const page = found.slice(from, from + Math.min(limit, 200));
  const more = from + page.length < found.length;
  const next = more ? { next_cursor: page.at(-1)?.id } : {};
  return {
    ok: true,
    data: { events: page, count: page.length, limit, has_next: more, has_prev: false, ...next },
  };
}) as unknown as Call; // the one tool that is asked for here

beforeEach(() => {
  events = Array.from({ length: 150 }, (_, number) => event(number)).reverse();
  asked = [];
  clock = handClock(START + 10_000_000);
  const pollMs = () => undefined;
  deps = { door: {} as Deps["door"], clock, changes: createChanges(), call, pollMs };
  const get = () => state as unknown as AppState;
  const set: Parameters<typeof eventsSlice>[0] = (change) => {
    state = { ...state, ...(typeof change === "function" ? change(get()) : change) };
  };
  state = eventsSlice(set, get, deps);
});

const emit = async (...numbers: number[]) => {
  for (const number of numbers) events.unshift(event(number));
  deps.changes.tell("events");
  await clock.advance(1_000);
};
const rows = () => dataOf(state.events)?.rows.map(({ id }) => id) ?? [];

describe("the list of events", () => {
  test("reads the newest page, older ones when they are asked for, and ends", async () => {
    state.openEvents(readEventFilters({ window: "all" }));
    await settle();
    expect(rows()).toHaveLength(100);
    state.loadOlderEvents();
    state.loadOlderEvents();
    await settle();
    expect(rows()).toHaveLength(150);
    expect(asked).toHaveLength(2);
    state.loadOlderEvents();
    await settle();
    expect(asked).toHaveLength(2);
  });

  test("a change asks only for what came since the newest event", async () => {
    state.openEvents(readEventFilters({ window: "all" }));
    await settle();
    await emit(150, 151);
    expect(asked.at(-1)?.since).toBe(event(149).timestamp);
    expect(rows().slice(0, 3)).toEqual(["evt_151", "evt_150", "evt_149"]);
  });

  test("read further down, news wait; back at the top they are let in", async () => {
    state.openEvents(readEventFilters({ window: "all" }));
    await settle();
    state.pinEvents(true);
    await emit(150);
    await emit(151);
    expect(rows()[0]).toBe("evt_149");
    expect(dataOf(state.events)?.waiting).toHaveLength(2);
    state.pinEvents(false);
    expect(rows().slice(0, 2)).toEqual(["evt_151", "evt_150"]);
  });

  test("more news than a page holds are never skipped: the list is read anew at the top", async () => {
    state.openEvents(readEventFilters({ window: "all" }));
    await settle();
    state.pinEvents(true);
    await emit(...Array.from({ length: 300 }, (_, index) => 150 + index));
    expect(dataOf(state.events)?.overflow).toBe(true);
    state.pinEvents(false);
    await clock.advance(1_000);
    expect(rows().slice(0, 2)).toEqual(["evt_449", "evt_448"]);
    expect(dataOf(state.events)?.overflow).toBe(false);
    expect(rows()).toHaveLength(100);
  });

  test("after it is called off nothing is read", async () => {
    const stop = state.openEvents(readEventFilters({ window: "all" }));
    await settle();
    stop();
    await emit(150);
    expect(asked).toHaveLength(1);
  });
});
