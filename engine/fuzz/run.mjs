// Mutated requests over every route and method: `node engine/fuzz/run.mjs [--minutes=N --seed=N]`.
import { randomInt } from "node:crypto";
import { decimalNumber, readArguments, wholeNumber } from "../../build/arguments.mjs";
import { runScript } from "../../build/console.mjs";
import { runEntry } from "../testing/run-entry.mjs";

await runScript(() => {
  const { minutes = 10, seed = randomInt(2 ** 31) } = readArguments({
    usage: "node engine/fuzz/run.mjs [--minutes=N] [--seed=N]",
    about: "Mutated requests over every route and method, for 10 minutes unless given.",
    flags: { minutes: decimalNumber(0.01, 10_000), seed: wholeNumber(0, 2 ** 32 - 1) },
  });
  return runEntry(new URL("main.ts", import.meta.url), { minutes, seed });
});
