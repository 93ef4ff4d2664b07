import { describe, expect, it } from "vitest";
import { createPanic, type PanicParts } from "./panic.ts";

function fixture(parts: Partial<PanicParts> = {}) {
  const order: string[] = [];
  const running = new Set(["term_a", "term_b"]);
  const kept: (string | undefined)[] = [];
  const panic = createPanic({
    since: undefined,
    now: () => new Date("2026-01-01T00:00:00Z"),
    keep: (since) => void kept.push(since),
    refuseQuestions: () => void order.push(`questions refused, stopped: ${panic.state.stopped}`),
    running: () => [...running],
    async stopTerminal(id) {
      order.push(`stop ${id}`);
      await Promise.resolve();
      running.delete(id);
    },
    record: async (event, detail) => void order.push(`${event} ${JSON.stringify(detail)}`),
    onChanged: ({ stopped }) => void order.push(`told ${stopped}`),
    onProblem: (what) => void order.push(what),
    ...parts,
  });
  return { panic, order, running, kept };
}

describe("stopping everything", () => {
  it("takes effect before it resolves: first the gate, then the questions, then the terminals", async () => {
    const { panic, order, kept } = fixture();
    const stopped = panic.stop();
    expect(panic.state).toEqual({ stopped: true, since: "2026-01-01T00:00:00.000Z" });
    expect(order.slice(0, 4)).toEqual([
      "questions refused, stopped: true",
      "stop term_a",
      "stop term_b",
      "told true",
    ]);
    await stopped;
    expect(order.at(-1)).toBe('panic.on {"terminals":2,"ms":0}');
    expect(kept).toEqual(["2026-01-01T00:00:00.000Z"]);
  });

  it("ends a terminal that was just starting, and none once it is lifted", async () => {
    const { panic, order, running } = fixture();
    await panic.stop();
    running.add("term_late");
    panic.terminalsChanged();
    panic.terminalsChanged();
    expect(order.filter((entry) => entry === "stop term_late")).toHaveLength(1);
    panic.lift();
    running.add("term_after");
    panic.terminalsChanged();
    expect(order).not.toContain("stop term_after");
    expect(panic.state).toEqual({ stopped: false });
  });

  it("stays over a restart until it is lifted", () => {
    const { panic, kept } = fixture({ since: "2026-01-01T00:00:00.000Z" });
    expect(panic.state.stopped).toBe(true);
    panic.lift();
    expect(kept).toEqual([undefined]);
  });

  it("does the rest when one part fails", async () => {
    const { panic, order } = fixture({
      stopTerminal: (id) => (id === "term_a" ? Promise.reject(new Error("no answer")) : Promise.resolve()),
      keep: () => {
        throw new Error("disk full");
      },
    });
    await panic.stop();
    expect(panic.state.stopped).toBe(true);
    expect(order).toContain("the terminal term_a could not be stopped");
    expect(order.at(-1)).toContain("panic.on");
  });
});
