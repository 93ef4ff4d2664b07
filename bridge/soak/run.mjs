// Bundles soak tests and runs them: `node bridge/soak/run.mjs [runs]` runs those of the bridge alone,
// `node bridge/soak/run.mjs output|flood|kills|away|keys|switches [n]` one; the last four are of the whole app.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const SOAKS = ["output", "flood"];
/** In real Electron. */
const APP_SOAKS = ["kills", "away", "keys", "switches"];
const output = fileURLToPath(new URL("../../.cache/soak/", import.meta.url));
mkdirSync(output, { recursive: true });

/**
 * @param {string} name
 * @param {string[]} args
 */
async function soak(name, args) {
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

const [first = "", ...rest] = process.argv.slice(2);
const named = SOAKS.includes(first);
if (APP_SOAKS.includes(first)) {
  const program = fileURLToPath(new URL("../../e2e/soak/run.mjs", import.meta.url));
  process.exit(spawnSync(process.execPath, [program, first, ...rest], { stdio: "inherit" }).status ?? 1);
}
for (const name of named ? [first] : SOAKS) {
  const code = await soak(name, named ? rest : name === "output" && first !== "" ? [first] : []);
  if (code !== 0) process.exitCode = code;
}
