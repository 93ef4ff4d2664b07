import { expect, it } from "vitest";
import { createKvLedger, type KvSnapshot } from "./kv-ledger.ts";

const row = (key: string, revision: number, value = key, latest = 1) => ({ key, revision, value, latest });
const good: KvSnapshot = {
  bucket: { revision: 3, entries: 3 },
  entries: [row("made.1", 1), row("counter", 2, "1", 0), row("counter", 3, "2")],
};

function ledger() {
  const fresh = createKvLedger();
  fresh.made("made.1", 1);
  for (const n of [1, 2]) {
    fresh.counting();
    fresh.counted(n);
  }
  return fresh;
}

it.each<[string, Partial<KvSnapshot>, RegExp]>([
  [
    "a missing key",
    { entries: good.entries.slice(1), bucket: { revision: 3, entries: 2 } },
    /made\.1 is missing/,
  ],
  ["another value", { entries: [row("made.1", 1, "x"), ...good.entries.slice(1)] }, /made\.1 is missing/],
  ["a lost count", { entries: [row("made.1", 1), row("counter", 2, "1")] }, /the counter is 1, 2 were/],
  ["a count too many", { entries: [row("made.1", 1), row("counter", 3, "9")] }, /only 2 were tried/],
  ["one revision twice", { entries: [...good.entries, row("other", 3)] }, /two entries have one revision/],
  ["two newest revisions", { entries: [row("made.1", 1), row("counter", 3, "2", 0)] }, /exactly one newest/],
  ["a wrong number", { bucket: { revision: 3, entries: 9 } }, /counts 9 entries and has 3/],
  ["a revision from the future", { bucket: { revision: 2, entries: 3 } }, /has not given yet/],
])("the ledger of keys sees %s", (_what, change, message) => {
  expect(ledger().compare(good)).toEqual([]);
  expect(
    ledger()
      .compare({ ...good, ...change })
      .join("\n"),
  ).toMatch(message);
});

it("the ledger of keys sees two clients that counted up to the same number", () => {
  const before = ledger();
  before.counted(2);
  expect(before.compare(good)).toEqual(["two clients counted up to 2"]);
});
