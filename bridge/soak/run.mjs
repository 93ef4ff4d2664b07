// Bundles a soak test and runs it: `node bridge/soak/run.mjs [runs]`.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const output = fileURLToPath(new URL("../../.cache/soak/", import.meta.url));
mkdirSync(output, { recursive: true });
const file = `${output}output.cjs`;
const bundle = await rolldown({
  input: fileURLToPath(new URL("output.ts", import.meta.url)),
  platform: "node",
  external: ["node-pty"],
  transform: { target: "node20.18" },
});
await bundle.write({ file, format: "cjs", sourcemap: true, codeSplitting: false });
await bundle.close();
process.exitCode =
  spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1;
