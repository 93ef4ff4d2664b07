// Three-step push runs, lists of a million runs, memory: `npm run bench:engine [-- --quick]`.
import { SWITCH, oneOf, readArguments } from "../../build/arguments.mjs";
import { runScript } from "../../build/console.mjs";
import { runEntry } from "../testing/run-entry.mjs";

await runScript(() => {
  const { quick = false, only } = readArguments({
    usage: "npm run bench:engine -- [--quick] [--only=sql]",
    about: "Measures the engine; --quick: small counts, --only=sql: the part with SQL queries alone.",
    flags: { quick: SWITCH, only: oneOf(["sql"]) },
  });
  return runEntry(new URL("main.ts", import.meta.url), { quick, only });
});
