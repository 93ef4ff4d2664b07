import { expect, it } from "vitest";
import { createHarness } from "../testing/harness.ts";
import { readIssues } from "./readiness.ts";

it("has no issue while changes reach the store, and names the store when they do not", async () => {
  const engine = await createHarness();
  const { db } = engine.core.store;
  expect(await readIssues(engine.core)).toEqual({});
  db.exec("pragma query_only=on");
  expect(await readIssues(engine.core)).toEqual({ store: expect.stringMatching(/readonly/) });
  db.exec("pragma query_only=off");
  expect(await readIssues(engine.core)).toEqual({});
  await engine.stop();
  expect(await readIssues(engine.core)).toEqual({ store: "the engine is stopping" });
});
