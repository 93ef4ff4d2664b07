import { afterAll, beforeAll, expect, it } from "vitest";
import { createEngineFactory, type EngineFactory } from "../testing/engine-process.ts";
import { soak } from "./soak.ts";

let factory: EngineFactory;

beforeAll(async () => {
  factory = await createEngineFactory();
});

afterAll(() => factory.close());

it("loses and doubles nothing that it acknowledged in three rounds of kill -9", async () => {
  const lines: string[] = [];
  const { faults, acknowledged } = await soak({
    factory,
    rounds: 3,
    seed: 20_261_130,
    say: (line) => lines.push(line),
  });
  expect({ faults, lines: lines.length }).toEqual({ faults: [], lines: 3 });
  expect(acknowledged.events).toBeGreaterThan(0);
  expect(acknowledged.steps).toBeGreaterThan(0);
  expect(acknowledged.keys).toBeGreaterThan(0);
  expect(acknowledged.counted).toBeGreaterThan(0);
  expect(acknowledged.appends).toBeGreaterThan(0);
  expect(acknowledged.saves).toBeGreaterThan(0);
  expect(acknowledged.publishes).toBeGreaterThan(0);
  // The answer to an acknowledgement may be lost with the engine.
  expect(acknowledged.acks).toBeGreaterThan(0);
  expect(acknowledged.webhooks).toBeGreaterThan(0);
  expect(acknowledged.secrets).toBeGreaterThan(0);
  expect(acknowledged.configs).toBeGreaterThan(0);
}, 240_000);
