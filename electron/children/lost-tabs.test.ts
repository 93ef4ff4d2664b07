import { expect, it } from "vitest";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { lostTabs } from "./lost-tabs.ts";

const session = (id: string): TerminalSession => ({
  session_id: `term_${id.padEnd(8, "a")}`,
  agent: "claude",
  command: "sleep 9",
  shell: "/bin/sh",
  cwd: "/",
  status: "signalled",
  exit_code: null,
  signal: null,
  reason: "The terminal bridge stopped unexpectedly; its processes were ended.",
  started_at: "2026-11-30T09:00:00Z",
  ended_at: "2026-11-30T09:00:01Z",
  output_bytes: 0,
  left_behind: 0,
  size: { cols: 80, rows: 24 },
});

it("the tabs of a dead bridge are marked, stay until they are closed, and each change is told with all that are left", () => {
  const told: string[][] = [];
  const lost = lostTabs((sessions) => told.push(sessions.map(({ session_id }) => session_id)));
  lost.add([session("one"), session("two")]);
  expect(lost.list).toEqual([
    { ...session("one"), lost: true },
    { ...session("two"), lost: true },
  ]);
  expect(lost.close("term_elsewhere")).toBe(false);
  expect(lost.close(session("one").session_id)).toBe(true);
  expect(lost.close(session("one").session_id)).toBe(false);
  expect(lost.close(session("two").session_id)).toBe(true);
  expect(told).toEqual([["term_oneaaaaa", "term_twoaaaaa"], ["term_twoaaaaa"], []]);
});

it("the oldest go when bridges die again and again", () => {
  const lost = lostTabs(() => {});
  for (let life = 0; life < 5; life += 1)
    lost.add(Array.from({ length: 20 }, (_, nth) => session(`${life}_${nth}_`)));
  expect(lost.list).toHaveLength(64);
  expect(lost.list.at(-1)?.session_id).toBe(session("4_19_").session_id);
});
