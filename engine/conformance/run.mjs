// Our own suite over the wire, one test per row of the contract: `npm run test:engine [-- --url=URL]`.
import { readArguments } from "../../build/arguments.mjs";
import { Problem, runScript } from "../../build/console.mjs";
import { runEntry } from "../testing/run-entry.mjs";

/** @param {string} text */
function webAddress(text) {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw new Problem("must be an address that begins with http:// or https://");
}

await runScript(() => {
  const { only, url } = readArguments({
    usage: "npm run test:engine -- [--only=ID] [--url=URL]",
    about:
      "One test per row of the contract; --only: rows whose id begins so, --url: against another engine.",
    flags: { only: (/** @type {string} */ text) => text, url: webAddress },
  });
  return runEntry(new URL("main.ts", import.meta.url), { only, url });
});
