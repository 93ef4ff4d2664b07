// Bundles soak tests and runs them: `node bridge/soak/run.mjs [runs]` runs all, `node bridge/soak/run.mjs output|flood [n]` one.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const SOAKS = ["output", "flood"];
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
for (const name of named ? [first] : SOAKS) {
  const code = await soak(name, named ? rest : name === "output" && first !== "" ? [first] : []);
  if (code !== 0) process.exitCode = code;
}
