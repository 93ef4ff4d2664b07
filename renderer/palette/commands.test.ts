import { describe, expect, test } from "vitest";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import type { EngineInfo } from "../../electron/contract/engines.ts";
import { parseRoute } from "../store/route.ts";
import { commandsFor, commandsOf, SHOWN_MAX, type Known } from "./commands.ts";
import { findCommands } from "./find-commands.ts";

const session = (session_id: string, change: Partial<TerminalSession> = {}): TerminalSession => ({
  session_id,
  agent: "claude",
  command: "npm test",
  shell: "/bin/sh",
  cwd: "/tmp",
  status: "running",
  exit_code: null,
  signal: null,
  reason: null,
  started_at: "2026-01-01T00:00:00Z",
  ended_at: null,
  output_bytes: 0,
  left_behind: 0,
  size: { cols: 80, rows: 24 },
  ...change,
});
const engine = (id: string, shown: boolean): EngineInfo => ({
  id,
  name: id,
  kind: "remote",
  url: `http://${id}:9123`,
  key: "none",
  shown,
  saved: true,
  person_may_write: false,
  agents_may_write: false,
});
const KNOWN: Known = {
  pages: [
    { page: "overview", title: "Overview" },
    { page: "runs", title: "Runs" },
    { page: "dead-letters", title: "Dead letters" },
  ],
  terminals: [session("t1"), session("t2", { name: "deploy \u202eto staging", command: "rm\u200b -r" })],
  engines: [engine("here", true), engine("staging", false)],
  functionIds: ["book-carrier", "charge\u00a0card"],
  themes: ["dark", "light"],
  theme: "dark",
};
const all = commandsOf(KNOWN);
const titles = (typed: string, hasEngine = true) =>
  commandsFor(typed, all, hasEngine).map(({ title }) => title);
/** Where a command leads to, as the window reads it. */
const routes = (typed: string) =>
  findCommands(typed).map(({ action }) => (action.type === "go" ? parseRoute(action.path) : action));

describe("what there is to go to", () => {
  test("[F7] pages, terminals, the other engines, themes and functions, with what cannot be seen marked", () => {
    expect(all.map(({ kind, title, aside }) => [kind, title, aside].join(" | "))).toEqual([
      "Page | Overview | ",
      "Page | Runs | ",
      "Page | Dead letters | ",
      "Page | Terminals: what agents started | ",
      "Terminal | claude | npm test",
      "Terminal | deploy ⟨U+202E⟩to staging | claude · rm⟨U+200B⟩ -r",
      "Engine | Go to engine staging | http://staging:9123",
      "Theme | Theme: dark | chosen now",
      "Theme | Theme: light | ",
      "Function | book-carrier | ",
      "Function | charge⟨U+00A0⟩card | ",
    ]);
  });

  test("of a long command there is as much as a row can show", () => {
    const [, , , , terminal] = commandsOf({
      ...KNOWN,
      terminals: [session("t", { command: "x".repeat(4_096) })],
    });
    expect(terminal?.aside).toBe("x".repeat(512));
  });

  test("each has a key of its own, also beside the ways to runs", () => {
    const keys = commandsFor("1a2b", all, true)
      .concat(all)
      .map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("[F5] all that any of them does is look: it goes somewhere, to another engine, or changes the theme", () => {
    const actions = [...all, ...findCommands("evt_12345678"), ...findCommands("x1y2")].map(
      ({ action }) => action,
    );
    expect(actions.filter(({ type }) => !["go", "engine", "theme"].includes(type))).toEqual([]);
    expect(actions).toContainEqual({ type: "engine", id: "staging" });
    expect(actions).toContainEqual({ type: "theme", theme: "light" });
    // What an address holds of a name is the name itself, not what is drawn for it.
    const paths = actions.flatMap((action) => (action.type === "go" ? [parseRoute(action.path)] : []));
    expect(paths).toContainEqual({ page: "functions", id: "charge\u00a0card", query: {} });
    expect(paths).toContainEqual({ page: "terminals", id: "t2", query: {} });
    expect(paths).toContainEqual({ page: "terminals", id: "history", query: {} });
  });
});

describe("what is shown for what was typed", () => {
  test("everything for nothing, and no way to runs", () => {
    expect(titles("  ")).toEqual(all.map(({ title }) => title));
  });

  test("a terminal is found by its name, its agent and its command", () => {
    for (const typed of ["staging deploy", "claude rm", "rm⟨"])
      expect(titles(typed, false)).toContain("deploy ⟨U+202E⟩to staging");
    expect(titles("npm test", false)).toEqual(["claude"]);
  });

  test("free text comes after what has this name, and alone where nothing has", () => {
    expect(titles("dead")).toEqual(["Dead letters", "Find runs with “dead”"]);
    expect(titles("no such thing")).toEqual(["Find runs with “no such thing”"]);
  });

  test("without an engine there are no runs to find", () => {
    expect(titles("no such thing", false)).toEqual([]);
    expect(titles("run_1", false)).toEqual([]);
  });

  test("an id comes first", () => {
    expect(titles("run_")[0]).toBe("Find runs with the id run_");
    expect(titles("evt_12345678")[0]).toBe("Find runs of event evt_12345678");
  });

  test("no more than can be drawn, the way to runs among them", () => {
    const many = Array.from({ length: 2_000 }, (_, n) => `job-${n}`);
    const shown = commandsFor("job", commandsOf({ ...KNOWN, functionIds: many }), true);
    expect(shown).toHaveLength(SHOWN_MAX);
    expect(shown.at(-1)?.title).toBe("Find runs with “job”");
  });
});

describe("the ways to runs", () => {
  test("are those of the fields of the runs page; an id is looked for in all time", () => {
    expect(routes(" run_01HX ")).toEqual([
      { page: "runs", id: null, query: { search: "run_01HX", window: "all" } },
    ]);
    expect(routes("evt_12345678")).toEqual([
      { page: "runs", id: null, query: { event: "evt_12345678", window: "all" } },
    ]);
    // Too short for a whole one.
    expect(routes("evt_12")).toEqual([
      { page: "runs", id: null, query: { search: "evt_12", window: "all" } },
    ]);
    expect(routes("anna & co?")).toEqual([{ page: "runs", id: null, query: { text: "anna & co?" } }]);
  });

  test("of a word that may be part of an id there are both", () => {
    expect(routes("01hx")).toEqual([
      { page: "runs", id: null, query: { text: "01hx" } },
      { page: "runs", id: null, query: { search: "01hx", window: "all" } },
    ]);
    expect(routes("carrier")).toHaveLength(1);
    expect(routes("o-1 paid")).toHaveLength(1);
  });

  test("what cannot be seen in a text that was pasted is marked, and looked for as it is", () => {
    expect(findCommands("a\u202eb")[0]?.title).toBe("Find runs with “a⟨U+202E⟩b”");
    expect(routes("a\u202eb")).toEqual([{ page: "runs", id: null, query: { text: "a\u202eb" } }]);
    expect(findCommands(" \n ")).toEqual([]);
  });
});
