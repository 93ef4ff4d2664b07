import { expect, it } from "vitest";
import { stepNameOf } from "./step-id.ts";

it.each([
  ["run_1:charge:0", "charge"],
  ["run_1:charge:12", "charge"],
  ["run_1:a\\:b:0", "a:b"],
  ["run_1:a\\\\:0", "a\\"],
  ["run_1:p\\:x:0:b:0", "b"],
  ["run_1:compensate:charge:0", "compensate:charge"],
  ["run_1:publish:topic:0", "publish:topic"],
])("finds the name in %s", (id, name) => {
  expect(stepNameOf(id, "run_1")).toBe(name);
});

it.each([
  "run_2:charge:0",
  "charge",
  "run_1:charge",
  "run_1:",
  "run_1::0",
  "run_1:charge:x",
  "run_10:charge:0",
])("refuses %s", (id) => {
  expect(stepNameOf(id, "run_1")).toBeUndefined();
});
