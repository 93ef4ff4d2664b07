import { expect, it } from "vitest";
import { idRange } from "./like.ts";

it.each([
  ["run_01kd", { from: "run_01kd", to: "run_01kd~" }],
  ["RUN_01KD", { from: "run_01kd", to: "run_01kd~" }],
  ["run_01k", undefined],
  ["run_", undefined],
  ["01kdvh35", undefined],
  ["run_01kd%", undefined],
  ["run_01kd_5", undefined],
  ["evt_01kd", undefined],
])("looks for %s at the beginning of ids: %j", (search, range) => {
  expect(idRange(search, "run_")).toEqual(range);
});
