import { expect, it } from "vitest";
import { createDataLedger, SUM_PROJECTION, type DataLedger } from "./data-ledger.ts";
import type { DataSnapshot } from "./data-snapshot.ts";

const events = [1, 2, 3].map((n) => ({
  seq: n * 10,
  id: `evt_${n}`,
  entity_id: "e",
  entity_version: n,
  n,
}));
const projection = {
  name: SUM_PROJECTION,
  status: "active",
  cursor_seq: 30,
  rebuild_id: null,
  error_message: null,
};
const good: DataSnapshot = {
  entityEvents: events,
  streams: [{ entity_id: "e", version: 3 }],
  projections: [projection],
  states: [{ generation: 1, last_event_seq: 20, count: 2, sum: 3 }],
  sqlRows: [{ cursor_seq: 30, count: 3, sum: 6 }],
};

function ledger(): DataLedger {
  const fresh = createDataLedger();
  for (const { id, entity_version: version } of events) fresh.appended("e", version, id);
  fresh.saved(SUM_PROJECTION, 30);
  expect(fresh.compareEnd(good)).toEqual([]);
  return fresh;
}

it.each<[string, Partial<DataSnapshot>, RegExp]>([
  ["an append that is missing", { entityEvents: events.slice(0, 2) }, /append e 3 \(evt_3\) is missing/],
  [
    "a gap in a stream",
    { entityEvents: [events[0], events[2]].flatMap((e) => e ?? []) },
    /version 3 after 1/,
  ],
  ["a stream that says another version", { streams: [{ entity_id: "e", version: 4 }] }, /says version 4/],
  [
    "a state that has an event twice",
    { states: [{ generation: 1, last_event_seq: 20, count: 3, sum: 5 }] },
    /generation 1 of soak-sum at 20/,
  ],
  ["a table that lacks an event", { sqlRows: [{ cursor_seq: 30, count: 2, sum: 3 }] }, /proj_soak at 30/],
  [
    "a position behind an acknowledged save",
    { projections: [{ ...projection, cursor_seq: 20 }] },
    /is at 20, 30 was acknowledged/,
  ],
  ["a projection that failed", { projections: [{ ...projection, status: "error" }] }, /failed/],
  [
    "a rebuild that does not end",
    { projections: [{ ...projection, rebuild_id: "rbj_1" }] },
    /still rebuilding/,
  ],
])("sees %s", (_what, change, message) => {
  expect(
    ledger()
      .compareEnd({ ...good, ...change })
      .join("\n"),
  ).toMatch(message);
});

it("sees one place in a stream that was acknowledged for two events", () => {
  const before = ledger();
  before.appended("e", 3, "evt_other");
  expect(before.compare(good).join("\n")).toMatch(/e 3 was acknowledged as evt_3, then as evt_other/);
});
