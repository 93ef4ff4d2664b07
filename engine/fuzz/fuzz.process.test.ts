import { afterAll, beforeAll, expect, it } from "vitest";
import { createEngineFactory, type EngineFactory } from "../testing/engine-process.ts";
import { fuzzFrames } from "./frames.ts";
import { fuzz } from "./fuzz.ts";

let factory: EngineFactory;

beforeAll(async () => {
  factory = await createEngineFactory();
});

afterAll(() => factory.close());

it("stands frames of a live client that may be anything", async () => {
  const engine = await factory.start({ flags: [] });
  expect(await fuzzFrames(engine, 20_261_130, 60)).toBeUndefined();
  expect(engine.stderr()).not.toMatch(/"level":50/);
  expect(await engine.end("SIGTERM")).toBe(0);
});

it("answers mutated requests over every route and method without a 500, a hang or a stack, and stays healthy", async () => {
  const engine = await factory.start({ flags: [] });
  const result = await fuzz({ engine, seed: 20_261_130, forMs: 30_000, batches: 400 });
  expect(result.fault).toBeUndefined();
  expect(result.requests).toBeGreaterThan(400);
  expect(result.statuses[200] ?? 0).toBeGreaterThan(0);
  expect(result.statuses[400] ?? 0).toBeGreaterThan(0);
  expect(await engine.end("SIGTERM")).toBe(0);
});
