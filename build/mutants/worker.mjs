// Runs the tests of one source against its mutants, one after the other, in one vitest. Reads mutants as JSON lines from
// its parent, answers each with `{"survived": …}`; the parent ends it when a mutant never comes back.
import { createInterface } from "node:readline";
import { createVitest } from "vitest/node";
import { ROOT } from "../paths.mjs";

const [source = "", ...tests] = process.argv.slice(2);
/** What is loaded in the place of the source. */
let text = "";

const vitest = await createVitest(
  "test",
  {
    root: ROOT,
    config: false,
    include: tests,
    watch: false,
    reporters: [{}],
    bail: 1,
    pool: "threads",
    testTimeout: 20_000,
  },
  {
    logLevel: "silent",
    plugins: [
      {
        name: "mutant",
        enforce: "pre",
        load: (id) =>
          id.split("?", 1)[0]?.endsWith(`/${source}`) === true && text !== "" ? text : undefined,
      },
    ],
  },
);
const specifications = await vitest.globTestSpecifications();

process.stdout.write(`${JSON.stringify({ ready: specifications.length })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  ({ text } = JSON.parse(line));
  vitest.invalidateFile(`${ROOT}/${source}`);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true);
  const survived = unhandledErrors.length === 0 && testModules.every((module) => module.ok());
  process.stdout.write(`${JSON.stringify({ survived })}\n`);
}
await vitest.close();
