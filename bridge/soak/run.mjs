// Bundles soak tests and runs them: `node bridge/soak/run.mjs [runs]` runs those of the bridge alone,
// `node bridge/soak/run.mjs output|flood|kills|away|keys|switches [n]` one; the last four are of the whole app.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { oneOf, readArguments, refusal, wholeNumber } from "../../build/arguments.mjs";
import { runScript } from "../../build/console.mjs";

const SOAKS = ["output", "flood"];
/** In real Electron. */
const APP_SOAKS = ["kills", "away", "keys", "switches"];
const output = fileURLToPath(new URL("../../.cache/soak/", import.meta.url));

const amountOf = wholeNumber(1, 1_000_000);
const soakOf = oneOf([...SOAKS, ...APP_SOAKS]);
const DOOR = {
  usage:
    "npm run soak:bridge -- [RUNS | output [RUNS] | flood|away|keys [SECONDS] | kills|switches [ROUNDS]]",
  about: "Output and flood of the terminals' sessions alone, or one; all but those two are of the built app.",
  words: {
    soak: (/** @type {string} */ text) => (/^\d/.test(text) ? amountOf(text) : soakOf(text)),
    amount: amountOf,
  },
};

/**
 * @param {string} name
 * @param {string[]} args
 */
async function runSoak(name, args) {
  const file = `${output}${name}.cjs`;
  const bundle = await rolldown({
    input: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
    platform: "node",
    external: ["node-pty"],
    transform: { target: "node20.18" },
  });
  await bundle.write({ file, format: "cjs", sourcemap: true, codeSplitting: false });
  await bundle.close();
  return spawnSync(process.execPath, [file, ...args], { stdio: "inherit" }).status ?? 1;
}

await runScript(async () => {
  const { soak, amount } = readArguments(DOOR);
  const rest = amount === undefined ? [] : [String(amount)];
  if (typeof soak === "number") {
    if (amount !== undefined) throw refusal(DOOR, String(amount), "nothing is done with it");
  } else if (soak !== undefined && APP_SOAKS.includes(soak)) {
    const program = fileURLToPath(new URL("../../e2e/soak/run.mjs", import.meta.url));
    return spawnSync(process.execPath, [program, soak, ...rest], { stdio: "inherit" }).status ?? 1;
  }
  mkdirSync(output, { recursive: true });
  if (typeof soak === "string") return runSoak(soak, rest);
  let failure = 0;
  for (const name of SOAKS) {
    const code = await runSoak(name, name === "output" && soak !== undefined ? [String(soak)] : []);
    if (code !== 0) failure = code;
  }
  return failure;
});
