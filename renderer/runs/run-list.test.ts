import { describe, expect, test } from "vitest";
import type { RunSummary } from "../../mcp/contract/domain.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { ListRunsInput } from "../../mcp/contract/tools/runs.ts";
import type { Call } from "../store/deps.ts";
import { handClock, settle } from "../store/hand-clock.test-help.ts";
import { readRunFilters } from "./run-filters.ts";
import { createRunList } from "./run-list.ts";
import { PAGE_ROWS, rowAt, type RunWindow } from "./run-window.ts";

const START = Date.parse("2026-03-01T10:00:00.000Z");
const run = (number: number): RunSummary => ({
  id: `run_${number}`,
  function_id: "f",
  event_id: "evt_1",
  execution_mode: "push",
  status: "completed",
  attempt: 1,
  max_attempts: 3,
  created_at: new Date(START + number * 1_000).toISOString(),
  updated_at: new Date(START + number * 1_000).toISOString(),
});

/** An engine that answers as the contract says: newest first, `since` inclusive, `until` exclusive. */
function engineOf(count: number) {
  const runs = Array.from({ length: count }, (_, index) => run(index)).reverse();
  const asked: { limit: number; offset: number; until?: string | undefined }[] = [];
  const state = { down: false };
  const call = (async (tool: string, raw: unknown) => {
    expect(tool).toBe("ironflow_list_runs");
    const input = ListRunsInput.parse(raw);
    asked.push(input);
    if (state.down) return { ok: false, error: { error: "no engine", code: "unavailable", retryable: true } };
    const { since = "", until = "9", limit, offset } = input;
    const found = runs.filter(({ created_at }) => created_at >= since && created_at < until);
    const page = found.slice(offset, offset + limit);
    return { ok: true, data: { runs: page, count: page.length, total_count: found.length } };
  }) as Call;
  return { call, asked, state, add: (number: number) => runs.unshift(run(number)) };
}

async function listOf(engine: ReturnType<typeof engineOf>) {
  const clock = handClock(START + 10_000_000);
  const seen: { window: RunWindow; problem: ToolError | null }[] = [];
  const list = createRunList({
    filters: { ...readRunFilters({}), window: "all" },
    call: engine.call,
    clock,
    pollMs: () => undefined,
    onChange: (window, problem) => seen.push({ window, problem }),
  });
  await settle();
  const last = () => {
    const entry = seen.at(-1);
    if (entry === undefined) throw new Error("nothing was told yet");
    return entry;
  };
  const change = async () => {
    list.refresh();
    await clock.advance(1_000);
    await settle();
  };
  return { list, clock, last, change, id: (row: number) => rowAt(last().window, row)?.id };
}

describe("the list of runs", () => {
  test("reads one page at first, and others only when they come on screen", async () => {
    const engine = engineOf(1_000);
    const { list, clock, id } = await listOf(engine);
    expect(engine.asked.map(({ offset }) => offset)).toEqual([0]);
    expect(id(0)).toBe("run_999");
    expect(id(450)).toBeUndefined();
    list.show({ first: 440, last: 510 });
    await clock.advance(0);
    expect(engine.asked.map(({ offset }) => offset)).toEqual([0, 4 * PAGE_ROWS, 5 * PAGE_ROWS]);
    expect(id(450)).toBe("run_549");
  });

  test("at its top it follows the newest runs", async () => {
    const engine = engineOf(3);
    const { change, id, last } = await listOf(engine);
    engine.add(3);
    await change();
    expect(id(0)).toBe("run_3");
    expect(last().window).toMatchObject({ total: 4, newer: 0 });
  });

  test("while it is read further down rows keep their places, and newer runs are counted", async () => {
    const engine = engineOf(500);
    const { list, clock, change, id, last } = await listOf(engine);
    list.show({ first: 100, last: 140 });
    list.pin(true);
    await clock.advance(0);
    const before = id(120);
    engine.add(500);
    engine.add(501);
    await change();
    expect(id(120)).toBe(before);
    expect(last().window).toMatchObject({ total: 500, newer: 2 });

    list.show({ first: 0, last: 40 });
    list.pin(false);
    await clock.advance(0);
    await settle();
    expect(id(0)).toBe("run_501");
    expect(last().window).toMatchObject({ total: 502, newer: 0 });
  });

  test("scrolling a pinned list counts nothing anew", async () => {
    const engine = engineOf(1_000);
    const { list, clock } = await listOf(engine);
    list.pin(true);
    await clock.advance(0);
    const counts = () => engine.asked.filter(({ limit }) => limit === 1).length;
    expect(counts()).toBe(1);
    for (const first of [300, 500, 700]) {
      list.show({ first, last: first + 40 });
      await clock.advance(0);
    }
    expect(counts()).toBe(1);
  });

  test("a failure keeps the rows and tells why; the next read mends it", async () => {
    const engine = engineOf(10);
    const { change, id, last } = await listOf(engine);
    engine.state.down = true;
    await change();
    expect(last().problem?.code).toBe("unavailable");
    expect(id(0)).toBe("run_9");
    engine.state.down = false;
    await change();
    expect(last().problem).toBeNull();
  });

  test("after stop nothing is told", async () => {
    const engine = engineOf(10);
    const { list, change, last } = await listOf(engine);
    const before = last();
    list.stop();
    engine.add(99);
    await change();
    expect(last()).toBe(before);
  });
});
