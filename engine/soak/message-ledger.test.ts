import { expect, it } from "vitest";
import { createMessageLedger, type MessageLedger } from "./message-ledger.ts";
import type { MessageSnapshot } from "./message-snapshot.ts";

const good: MessageSnapshot = {
  messages: [
    { id: "evt_1", n: 1 },
    { id: "evt_2", n: 2 },
  ],
  owed: ["evt_2"],
  group: { waiting: 1 },
  hooks: [{ id: "evt_3", n: 3 }],
  appended: ["evt_4", "evt_5"],
  told: ["evt_4"],
  outbox: [{ event_id: "evt_5", kind: "event", dead_at: 1 }],
};

function ledger(): MessageLedger {
  const fresh = createMessageLedger();
  fresh.published(1, "evt_1");
  fresh.published(2, "evt_2");
  fresh.given("sub_1", "evt_1");
  fresh.acknowledging("evt_1");
  fresh.acknowledged("evt_1");
  fresh.received(3, "evt_3");
  expect(fresh.compare(good)).toEqual([]);
  return fresh;
}

it.each<[string, Partial<MessageSnapshot>, RegExp]>([
  [
    "a publish that is missing",
    { messages: good.messages.slice(0, 1), owed: [], group: { waiting: 0 } },
    /publish 2 \(evt_2\) is missing/,
  ],
  [
    "a publish that is stored twice",
    { messages: [...good.messages, { id: "evt_9", n: 1 }], owed: ["evt_2", "evt_9"] },
    /publish 1 is stored twice/,
  ],
  ["a webhook that is missing", { hooks: [] }, /webhook 3 \(evt_3\) is missing/],
  [
    "a message that is lost to its group",
    { owed: [], group: { waiting: 0 } },
    /evt_2 was never acknowledged and is not owed/,
  ],
  [
    "an acknowledgement that is lost",
    { owed: ["evt_1", "evt_2"], group: { waiting: 2 } },
    /evt_1 was acknowledged and is owed/,
  ],
  ["a group that counts wrong", { group: { waiting: 7 } }, /counts 7/],
  ["a delivery that the outbox lost", { outbox: [] }, /evt_5 is lost by the outbox/],
  ["a delivery that was made and is owed", { told: ["evt_4", "evt_5"] }, /evt_5 is delivered and owed/],
])("sees %s", (_what, change, message) => {
  expect(
    ledger()
      .compare({ ...good, ...change })
      .join("\n"),
  ).toMatch(message);
});

it("sees what is owed at the end", () => {
  const found = ledger().compareEnd(good).join("\n");
  expect(found).toMatch(/outbox still owes event evt_5/);
  expect(found).toMatch(/group still owes evt_2/);
});

it("sees a message that two members hold, one that comes after its acknowledgement, and one number with two answers", () => {
  const seen = ledger();
  seen.given("sub_1", "evt_2");
  seen.given("sub_2", "evt_2");
  seen.given("sub_1", "evt_1");
  seen.published(2, "evt_other");
  const found = seen.compare(good).join("\n");
  expect(found).toMatch(/evt_2 was given to sub_2 while sub_1 held it/);
  expect(found).toMatch(/evt_1 was given again/);
  expect(found).toMatch(/publish 2 was acknowledged as evt_2, then as evt_other/);
  seen.killed();
  seen.published(2, "evt_2");
  seen.given("sub_3", "evt_2");
  expect(seen.compare(good).filter((line) => line.includes("sub_3"))).toEqual([]);
});
