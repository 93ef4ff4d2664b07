import { expect, test } from "vitest";
import { handClock, settle } from "../store/hand-clock.test-help.ts";
import { createAppStore } from "../store/store.ts";
import { RETRY_MS } from "../store/watch.ts";
import type { Door } from "../window.ts";

function followed() {
  const clock = handClock();
  const main = { reads: 0, fails: false, listeners: new Set<() => void>() };
  const door = {
    request: async () => {
      main.reads += 1;
      if (main.fails) throw new Error("gone");
      return [];
    },
    listen(name: string, listener: () => void) {
      // What changes with each byte of output, the list of the sessions, is not what this page reads.
      if (name !== "terminals:history-changed") throw new Error(`it listens to ${name}`);
      main.listeners.add(listener);
      return () => main.listeners.delete(listener);
    },
  } as unknown as Door;
  const store = createAppStore(door, clock);
  const change = () => {
    for (const listener of main.listeners) listener();
  };
  return { clock, main, store, change, stop: store.getState().followTerminalHistory() };
}

test("what agents started is read once for many changes at once, and not after it was called off", async () => {
  const { clock, main, change, stop } = followed();
  await settle();
  expect(main.reads).toBe(1);
  for (let nth = 0; nth < 100; nth += 1) change();
  await clock.advance(1_000);
  expect(main.reads).toBe(2);
  stop();
  change();
  await clock.advance(1_000);
  expect(main.reads).toBe(2);
  expect(main.listeners.size).toBe(0);
});

test("what agents started is tried again by itself where it could not be read, as the page says", async () => {
  const { clock, main, store } = followed();
  main.fails = true;
  await clock.advance(1_000);
  const { terminalHistory } = store.getState();
  expect(terminalHistory.phase).toBe("ready");
  main.listeners.forEach((listener) => listener());
  await clock.advance(1_000);
  expect(store.getState().terminalHistory.phase).toBe("stale");
  main.fails = false;
  await clock.advance(RETRY_MS);
  expect(store.getState().terminalHistory.phase).toBe("ready");
});

function listed() {
  const inView: string[][] = [];
  const told: { changed?: (body: readonly unknown[]) => void } = {};
  const door = {
    request: async (name: string, { session_ids }: { session_ids?: string[] }) => {
      if (session_ids !== undefined) inView.push(session_ids);
      return name === "terminals:list" ? [{ session_id: "term_one", started_at: "1" }] : {};
    },
    listen(name: string, listener: (body: readonly unknown[]) => void) {
      if (name === "terminals:changed") told.changed = listener;
      return () => {};
    },
  } as unknown as Door;
  const store = createAppStore(door, handClock());
  store.getState().followTerminals();
  return { store, inView, change: (sessions: readonly unknown[]) => told.changed?.(sessions) };
}

test("what is kept of a tab goes with its session, and what comes after that is not kept", async () => {
  const { store, change } = listed();
  const { sawBells, leftTerminal, noteTerminal } = store.getState();
  await settle();
  const at = { line: 1, fromEnd: 2, outputBytes: 3, full: false };
  const keepAll = () => {
    sawBells("term_one", 2);
    leftTerminal("term_one", at);
    noteTerminal("term_one", "Saved as /tmp/out.txt");
  };
  const kept = () => {
    const { bellsSeen, scrolledBack, terminalNotes } = store.getState();
    return { bellsSeen, scrolledBack, terminalNotes };
  };
  keepAll();
  const before = kept();
  expect(before.terminalNotes).toEqual({ term_one: "Saved as /tmp/out.txt" });
  change([{ session_id: "term_one", started_at: "1" }]);
  expect(kept().bellsSeen).toBe(before.bellsSeen);
  change([]);
  keepAll();
  expect(kept()).toEqual({ bellsSeen: {}, scrolledBack: {}, terminalNotes: {} });
});

test("main hears which tabs are in view, and that those of the page before are not any more", async () => {
  const { store, inView } = listed();
  const { showsTerminal } = store.getState();
  const leave = showsTerminal("term_one");
  showsTerminal("term_two");
  leave();
  expect(inView).toEqual([[], ["term_one"], ["term_one", "term_two"], ["term_two"]]);
});

test.each([
  [{ outcome: "not_confirmed", alive: 2 }, /its end was not seen. 2 processes could not be proved gone/],
  [undefined, /could not be closed/],
] as const)("a tab that was not closed stays in sight, and says why: %o", async (seen, words) => {
  const response = seen && { session_id: "term_aaaaaaaa", ...seen };
  const door = { request: async () => ({ closed: false, response }) } as unknown as Door;
  const store = createAppStore(door, handClock());
  await store.getState().closeTerminal("term_aaaaaaaa");
  expect(store.getState().terminalNotes["term_aaaaaaaa"]).toMatch(words);
});
