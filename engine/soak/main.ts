import * as z from "zod/v4";
import { createEngineFactory } from "../testing/engine-process.ts";
import { soak } from "./soak.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);

/** From run.mjs, which has read the arguments. */
const Order = z.object({ engine: z.string(), rounds: z.number(), seed: z.number() });

async function main(): Promise<number> {
  const { engine, rounds, seed } = Order.parse(JSON.parse(process.argv[2] ?? ""));
  const factory = await createEngineFactory(engine);
  try {
    say(`${rounds} rounds, --seed=${seed}`);
    const startedAt = Date.now();
    const { faults, acknowledged, modes } = await soak({ factory, rounds, seed, say });
    for (const fault of faults) say(`FAULT ${fault}`);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    say(
      `${rounds} rounds in ${seconds} s with ${modes.join(" and ")} functions, ${JSON.stringify(acknowledged)} acknowledged`,
    );
    say(`${faults.length} faults, --seed=${seed}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await factory.close();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(
      `soak:engine: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 2;
  },
);
