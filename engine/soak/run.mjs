// Kill -9 at random moments under mixed load: `npm run soak:engine [-- --rounds=N --seed=N]`; `--fuzz` runs the mutated requests.
import { randomInt } from "node:crypto";
import { SWITCH, decimalNumber, readArguments, refusal, wholeNumber } from "../../build/arguments.mjs";
import { runScript } from "../../build/console.mjs";
import { runEntry } from "../testing/run-entry.mjs";

const DOOR = {
  usage: "npm run soak:engine -- [--rounds=N] [--seed=N], or -- --fuzz [--minutes=N] [--seed=N]",
  about:
    "Kill -9 at random moments, 200 rounds unless given; or mutated requests, for 10 minutes unless given.",
  flags: {
    rounds: wholeNumber(1, 1_000_000),
    seed: wholeNumber(0, 2 ** 32 - 1),
    fuzz: SWITCH,
    minutes: decimalNumber(0.01, 10_000),
  },
};

await runScript(() => {
  const { rounds, minutes, fuzz = false, seed = randomInt(2 ** 31) } = readArguments(DOOR);
  if (fuzz && rounds !== undefined) throw refusal(DOOR, "--rounds", "does not go with --fuzz");
  if (!fuzz && minutes !== undefined) throw refusal(DOOR, "--minutes", "goes with --fuzz only");
  return fuzz
    ? runEntry(new URL("../fuzz/main.ts", import.meta.url), { minutes: minutes ?? 10, seed })
    : runEntry(new URL("main.ts", import.meta.url), { rounds: rounds ?? 200, seed });
});
