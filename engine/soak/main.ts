import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runFuzz } from "../fuzz/command.ts";
import { createEngineFactory } from "../testing/engine-process.ts";
import { soak } from "./soak.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      engine: { type: "string" },
      rounds: { type: "string", default: "200" },
      seed: { type: "string", default: String(randomInt(2 ** 31)) },
      fuzz: { type: "boolean", default: false },
      minutes: { type: "string", default: "10" },
    },
  });
  const [rounds, seed, minutes] = [Number(values.rounds), Number(values.seed), Number(values.minutes)];
  if (![rounds, seed, minutes].every((value) => Number.isFinite(value) && value >= 0))
    throw new Error("--rounds, --seed and --minutes must be numbers");
  if (!Number.isInteger(rounds) || rounds < 1) {
    process.stderr.write("soak:engine: --rounds must be a whole number from 1 on\n");
    return 2;
  }
  const factory = await createEngineFactory(values.engine);
  try {
    if (values.fuzz) return await runFuzz(factory, { minutes, seed, say });
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
