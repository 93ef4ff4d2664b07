import { beforeEach, expect, it } from "vitest";
import type { TerminalSession } from "../bridge/contract/api.ts";
import { terminalNotices, type TerminalNotices } from "./terminal-notices.ts";

let focused: boolean;
let said: string[];
let click: () => void;
let notices: TerminalNotices;

beforeEach(() => {
  focused = false;
  said = [];
  notices = terminalNotices({
    isFocused: () => focused,
    notify({ body }, onClick) {
      click = onClick;
      said.push(body);
      return { close: () => void said.push("closed") };
    },
    show: (id) => void said.push(`shown ${id}`),
  });
});

const session = (id: string, status: TerminalSession["status"]): TerminalSession => ({
  session_id: id,
  agent: id,
  command: "python3",
  shell: "/bin/sh",
  cwd: "/",
  status,
  exit_code: null,
  signal: null,
  reason: null,
  started_at: "2026-11-30T09:00:00Z",
  ended_at: null,
  output_bytes: 0,
  left_behind: 0,
  size: { cols: 80, rows: 24 },
});
const waits = (id: string) => notices.follow([session(id, "waiting_input")]);
const goesOn = (id: string) => notices.follow([session(id, "running")]);
const TOLD = "A program that claude started waits for someone to type.";

it("a program that begins to wait is told once; the notice goes when the program goes on, or its tab is gone", () => {
  goesOn("claude");
  waits("claude");
  waits("claude");
  expect(said).toEqual([TOLD]);
  goesOn("claude");
  expect(said).toEqual([TOLD, "closed"]);
  notices.follow([session("claude", "running"), session("codex", "waiting_input")]);
  notices.follow([]);
  expect(said.slice(2)).toEqual([TOLD.replace("claude", "codex"), "closed"]);
});

it("a program that waits and goes on for ever is told once, until somebody has seen its tab", () => {
  for (let round = 0; round < 100; round += 1) {
    waits("claude");
    goesOn("claude");
  }
  expect(said).toEqual([TOLD, "closed"]);
  focused = true;
  notices.inView(["claude"]);
  focused = false;
  waits("claude");
  expect(said).toEqual([TOLD, "closed", TOLD]);
});

it("nothing is told of the tab that is in view of a focused window", () => {
  focused = true;
  notices.inView(["claude"]);
  for (let round = 0; round < 3; round += 1) {
    waits("claude");
    goesOn("claude");
  }
  expect(said).toEqual([]);
  // Of another tab it is, and of this one when it is left.
  notices.inView(["codex"]);
  waits("claude");
  expect(said).toEqual([TOLD]);
});

it("a notice goes when its tab is looked at, by way of the tab or of the window", () => {
  waits("claude");
  notices.inView(["claude"]);
  expect(said).toEqual([TOLD]);
  focused = true;
  notices.focused();
  expect(said).toEqual([TOLD, "closed"]);
  waits("claude");
  expect(said).toHaveLength(2);
});

it("a click shows the tab", () => {
  waits("claude");
  click();
  expect(said).toEqual([TOLD, "shown claude"]);
});
