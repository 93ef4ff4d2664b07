// `npm run check`: the fast part of `npm test`.
import { readArguments } from "./arguments.mjs";
import { runScript } from "./console.mjs";
import { runNpmScript } from "./npm-script.mjs";
import { assertPackages } from "./packages.mjs";
import { ROOT } from "./paths.mjs";

/** In the order of what fails fastest. */
const SCRIPTS = ["check:format", "check:lint", "check:types", "check:unit"];

await runScript(async () => {
  readArguments({
    usage: "npm run check",
    about: `Format, lint, types and pure tests; stops at the first that fails. Each can be run alone: ${SCRIPTS.join(", ")}.`,
  });
  assertPackages(ROOT);
  for (const script of SCRIPTS) {
    const code = await runNpmScript(script);
    if (code !== 0) return code;
  }
  return 0;
});
