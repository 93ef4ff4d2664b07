import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { createEngineFactory } from "../testing/engine-process.ts";
import { runFuzz } from "./command.ts";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      engine: { type: "string" },
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: String(randomInt(2 ** 31)) },
    },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error("--minutes and --seed must be numbers");
  const factory = await createEngineFactory(values.engine);
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
