import { describe, expect, it } from "vitest";
import { createApplication } from "./application.ts";
import { emptyData } from "./data-snapshot.ts";
import { emptyMessages } from "./message-snapshot.ts";
import { emptySettings } from "./setting-load.ts";
import { emptyKv } from "./kv-ledger.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createRandom } from "./random.ts";
import type { Snapshot } from "./snapshot.ts";

const application = createApplication(["push"]);

const event = { id: "evt_1", name: "push-hold", idempotency_key: "k" };
const run = {
  id: "run_1",
  function_id: "push-order",
  event_id: "evt_1",
  status: "completed",
  parent_run_id: null,
};
const steps = ["reserve", "charge", "pack"].map((name) => ({
  id: `run_1:${name}:0`,
  run_id: "run_1",
  output: "1",
}));
const good: Snapshot = {
  integrity: "ok",
  foreignKeyFaults: 0,
  events: [event],
  runs: [run],
  completed: steps,
  data: emptyData,
  kv: emptyKv,
  messages: emptyMessages,
  settings: emptySettings,
};

function ledger(): Ledger {
  const fresh = createLedger(application);
  fresh.emitted("evt_1", ["run_1"], "k");
  fresh.completed(["run_1:pack:0"]);
  expect(fresh.compareEnd(good)).toEqual([]);
  return fresh;
}

describe("the ledger of a soak", () => {
  it.each<[string, Partial<Snapshot>, RegExp]>([
    ["a damaged file", { integrity: "row 1 missing from index" }, /integrity_check/],
    ["rows without their parent", { foreignKeyFaults: 2 }, /foreign_key_check/],
    ["a missing event", { events: [] }, /event evt_1 is missing/],
    ["a missing run", { runs: [] }, /run run_1 .* is missing/],
    ["two events of one key", { events: [event, { ...event, id: "evt_2" }] }, /the key k has two events/],
    ["two runs of one event", { runs: [run, { ...run, id: "run_2" }] }, /have two runs/],
    ["a missing step", { completed: steps.slice(1) }, /completed step run_1:reserve:0 is missing/],
    [
      "an acknowledged step that is missing",
      { completed: steps.slice(0, 2) },
      /acknowledged step run_1:pack:0/,
    ],
    ["another output", { completed: steps.map((step) => ({ ...step, output: "2" })) }, /another output/],
    ["a run that does not end", { runs: [{ ...run, status: "waiting" }] }, /ended as waiting/],
  ])("sees %s", (_what, change, message) => {
    expect(
      ledger()
        .compareEnd({ ...good, ...change })
        .join("\n"),
    ).toMatch(message);
  });

  it("sees a completed step that is executed again", () => {
    const before = ledger();
    application.effects.set("run_1:charge:0", 1);
    expect(before.compare(good)).toEqual(["the completed step run_1:charge:0 was executed again"]);
  });

  it("sees a run that was resumed twice, a key that has two answers and a cancelled run that goes on", () => {
    const before = ledger();
    before.resumed("run_1");
    before.resumed("run_1");
    before.emitted("evt_2", [], "k");
    before.cancelled("run_1");
    expect(before.compare(good).join("\n")).toMatch(
      /run_1 was resumed twice[^]*the key k answered evt_1, then evt_2[^]*the cancelled run run_1 is completed/,
    );
  });
});

it("repeats its moments for the same seed", () => {
  const draw = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 50 }, () => random.int(1, 800));
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(Math.min(...draw(7))).toBeGreaterThanOrEqual(1);
  expect(Math.max(...draw(7))).toBeLessThanOrEqual(800);
});
