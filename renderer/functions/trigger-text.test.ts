import { expect, test } from "vitest";
import { triggerText } from "./trigger-text.ts";

test.each([
  [{ event: "order.placed" }, "order.placed"],
  [{ event: "order.placed", expression: "event.data.total > 10" }, "order.placed if event.data.total > 10"],
  [{ cron: "0 * * * *" }, "cron 0 * * * *"],
  [{ expression: "true" }, "any event if true"],
])("the trigger %j reads %s", (trigger, text) => {
  expect(triggerText(trigger)).toBe(text);
});
