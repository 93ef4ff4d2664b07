import { expect, it } from "vitest";
import { stepName } from "./step-name.ts";

it.each([
  ["run_1:charge:0", "charge"],
  ["run_1:charge:12", "charge"],
  ["run_1:a\\:b\\\\c:0", "a:b\\c"],
  ["run_1:p\\:x:0:b:0", "b"],
  ["run_1:compensate:charge:0", "compensate:charge"],
  ["run_1:publish:orders:0", "publish:orders"],
  ["charge", "charge"],
  ["run_2:charge:0", "run_2:charge:0"],
  ["run_1:charge", "run_1:charge"],
  ["run_1:charge:x", "run_1:charge:x"],
])("reads the name in %s", (stepId, name) => {
  expect(stepName(stepId, "run_1")).toBe(name);
});
