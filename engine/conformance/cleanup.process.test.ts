import { afterAll, beforeAll, expect, it } from "vitest";
import { createEngineFactory, type EngineFactory } from "../testing/engine-process.ts";
import { createTarget } from "./target.ts";

let factory: EngineFactory;

beforeAll(async () => {
  factory = await createEngineFactory();
});

afterAll(() => factory.close());

it("takes away everything that the rows made, open runs too, and touches nothing else", async () => {
  const engine = await factory.start();
  await engine.ask("RegisterFunction", {
    id: "theirs",
    triggers: [{ event: "their-event" }],
    preferredMode: "pull",
  });
  const { runIds } = await engine.ask("Emit", { event: "their-event" });
  const target = await createTarget({ url: engine.url, apiKey: undefined, signingKey: undefined });
  const sleeper = await target.define("sleeper", ({ steps }) => steps.sleep("long", 3_600_000));
  await target.reaches(await target.start(sleeper), "waiting");
  const quick = await target.define("quick", async () => 1);
  await target.reaches(
    String((await target.rpc("InvokeFunction", { functionId: quick }))["runId"]),
    "completed",
  );
  await target.send("POST", "/api/v1/kv/buckets", { name: `APP_${target.name("bucket")}` });

  expect(await target.close()).toEqual([]);
  const functions = await engine.ask("ListFunctions", {});
  expect(functions).toMatchObject({ totalCount: 1, functions: [{ id: "theirs" }] });
  const runs = (await engine.ask("ListRuns", {}))["runs"] as { id: string; functionId: string }[];
  expect(runs.map(({ id }) => id)).toContain((runIds as string[])[0]);
  expect(new Set(runs.map(({ functionId }) => functionId))).toEqual(new Set(["theirs"]));
  expect((await engine.rest("/api/v1/kv/buckets")).body).toMatchObject({ count: 0 });
});
