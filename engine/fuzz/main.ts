import * as z from "zod/v4";
import { createEngineFactory } from "../testing/engine-process.ts";
import { runFuzz } from "./command.ts";

/** From a run.mjs, which has read the arguments. */
const Order = z.object({ engine: z.string(), minutes: z.number(), seed: z.number() });

async function main(): Promise<number> {
  const { engine, minutes, seed } = Order.parse(JSON.parse(process.argv[2] ?? ""));
  const factory = await createEngineFactory(engine);
  try {
    return await runFuzz(factory, { minutes, seed, say: (line) => process.stdout.write(`${line}\n`) });
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
      `fuzz: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 2;
  },
);
