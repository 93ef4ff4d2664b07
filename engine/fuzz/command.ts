import type { EngineFactory } from "../testing/engine-process.ts";
import { fuzzFrames } from "./frames.ts";
import { fuzz } from "./fuzz.ts";

/** A failure is found long before; the time decides. */
const manyBatches = 10_000_000;
const frameBatches = 500;

/** Ten minutes of mutated requests against one engine, which has to be healthy at the end. The exit code. */
export async function runFuzz(
  factory: EngineFactory,
  { minutes, seed, say }: { minutes: number; seed: number; say: (line: string) => void },
): Promise<number> {
  say(`mutated requests for ${minutes} minutes, --seed=${seed}`);
  const engine = await factory.start({ flags: [] });
  const { requests, statuses, samples, fault } = await fuzz({
    engine,
    seed,
    forMs: minutes * 60_000,
    batches: manyBatches,
  });
  say(
    `${requests} requests that began with ${samples} routes and methods; answers by status ${JSON.stringify(statuses)}`,
  );
  if (fault !== undefined) say(`FAULT ${fault}`);
  const frameFault = await fuzzFrames(engine, seed, frameBatches);
  if (frameFault !== undefined) say(`FAULT ${frameFault}`);
  const code = await engine.end("SIGTERM");
  if (code !== 0) say(`FAULT the engine ended with ${String(code)} after it`);
  const faults = [fault !== undefined, frameFault !== undefined, code !== 0].filter(Boolean).length;
  say(`${faults} faults, --seed=${seed}`);
  return faults === 0 ? 0 : 1;
}
