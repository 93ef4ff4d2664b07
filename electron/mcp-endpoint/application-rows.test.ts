import { describe, expect, it } from "vitest";
import { consentWorld } from "../testing/consent-world.ts";
import { listedApplicationTool } from "../testing/rows.ts";
import { applicationRows, MAX_APPLICATION_TOOLS, type ApplicationRow } from "./application-rows.ts";
import { MODERN_PATIENCE } from "./held-questions.ts";
import { publishedTool } from "./published-tools.ts";

const REFUND = listedApplicationTool("shop.refund");

function rowOf(listed: object): ApplicationRow {
  const [row] = applicationRows([listed]);
  if (row === undefined) throw new Error("it was left out");
  return row;
}
const names = (listed: readonly unknown[]) => applicationRows(listed).map(({ name }) => name);

describe("the list of a tool server", () => {
  it("gives the applications' tools, as they are listed there", () => {
    expect(publishedTool(rowOf(REFUND))).toMatchObject(REFUND);
  });

  it.each([
    ["has the name of one of ours", { ...REFUND, name: "ironflow_cancel_run" }],
    ["has the name of one of ours that only the app calls", { ...REFUND, name: "ironbridge_get_event" }],
    ["does not say that an application wrote it", { ...REFUND, description: "Refunds an order." }],
    ["has a name that no model could call", { ...REFUND, name: "shop refund" }],
    ["has no schema of an object", { ...REFUND, inputSchema: { type: "string" } }],
    ["is no tool at all", null],
  ])("one that %s is left out, and leaves the others alone", (_, tool) => {
    expect(names([tool, REFUND])).toEqual(["shop_refund"]);
  });

  it("is taken up to a limit, each name once", () => {
    const many = Array.from({ length: MAX_APPLICATION_TOOLS + 9 }, (_, at) =>
      listedApplicationTool(`a.t${at}`),
    );
    expect(names(many)).toHaveLength(MAX_APPLICATION_TOOLS);
    expect(names([REFUND, REFUND])).toEqual(["shop_refund"]);
  });

  it("gives the same row for a tool that is declared as before, and another for one that is not", () => {
    const before = applicationRows([REFUND]);
    expect(applicationRows([REFUND], before)[0]).toBe(before[0]);
    expect(applicationRows([{ ...REFUND, inputSchema: { type: "object" } }], before)[0]).not.toBe(before[0]);
  });
});

describe("a call", () => {
  function open() {
    const it = consentWorld();
    const done: unknown[] = [];
    it.world.applications = applicationRows([REFUND]);
    it.world.onChange = (change) => void done.push(change);
    const refund = (given: object = {}) => it.call({ tool: "shop_refund", args: { line: "L1" }, ...given });
    return { ...it, done, refund };
  }

  it("is done once the person has approved it, and is recorded without its arguments", async () => {
    const { refund, decide, done, consent, time, audit } = open();
    const outcome = refund();
    await time.settle();
    expect(JSON.stringify(consent.current())).toContain("Refunds an order.");
    expect(done).toEqual([]);
    await decide("approve");
    expect(outcome.word).toBe("ok");
    expect(done).toEqual([
      { caller: "claude", connection: "local", tool: "shop_refund", args: { line: "L1" } },
    ]);
    expect(audit.map(({ event }) => event)).toEqual(["mcp.call", "mcp.result"]);
    expect(JSON.stringify(audit)).not.toContain("L1");
  });

  it("is not done when the application has changed the tool, or taken it away, while the person was asked", async () => {
    for (const later of [[], [listedApplicationTool("shop.refund", "Empties the till.")]]) {
      const { refund, decide, done, time, world } = open();
      const outcome = refund();
      await time.settle();
      world.applications = applicationRows(later, world.applications);
      await decide("approve");
      expect(outcome.word).toBe("tool_changed");
      expect(done).toEqual([]);
    }
  });

  it("that comes back after the tool has changed does not join the question about the old one", async () => {
    const { refund, decide, done, time, world } = open();
    const first = refund({ patience: MODERN_PATIENCE });
    await time.settle();
    await time.move(MODERN_PATIENCE.holdMs);
    expect(first.word).toBe("come back");
    world.applications = applicationRows([listedApplicationTool("shop.refund", "Empties the till.")]);
    const second = refund({ patience: MODERN_PATIENCE, state: first.state });
    await time.settle();
    expect(second.word).toBe("question_over");
    await decide("approve");
    expect(done).toEqual([]);
  });

  it("may be remembered, and never for a tool of ours that an application names", async () => {
    const { refund, decide, done, remembered, time, call, consent, world } = open();
    world.applications = applicationRows([{ ...REFUND, title: "ironflow_cancel_run" }]);
    refund();
    await time.settle();
    await decide("approve", true);
    expect(remembered.size).toBe(1);
    refund();
    await time.settle();
    expect(done).toHaveLength(2);
    call({ tool: "ironflow_cancel_run" });
    await time.settle();
    expect(consent.queue.count).toBe(1);
  });
});
