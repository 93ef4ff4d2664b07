// `npm test`: the set-up, then every check and test.
import { readArguments } from "./arguments.mjs";
import { endedBySignals, runScript } from "./console.mjs";
import { setUp } from "./setup.mjs";

await runScript(async () => {
  readArguments({
    usage: "npm test",
    about:
      "The set-up, then every check and test; stops at the first that fails. Each part has an npm script.",
  });
  await endedBySignals(setUp);
  const { runStages } = await import("./stages.mjs"); // it needs the packages that the set-up has installed
  return runStages();
});
