// `npm start -- FLAGS`: set-up, build and app in this one process. A chain of commands would not hand on a signal that
// npm gets, and the app would live on without its terminal. Nor would the shell that npm starts scripts by, hence the
// `exec` in package.json; where there is no such word (Windows), run `node build/start.mjs FLAGS`.
import { readAppFlags, runApp } from "./app.mjs";
import { bundleChanged } from "./bundle.mjs";
import { endedBySignals, runScript } from "./console.mjs";
import { setUp } from "./setup.mjs";

await runScript(async () => {
  const flags = process.argv.slice(2);
  readAppFlags(flags);
  await endedBySignals(async () => {
    await setUp();
    await bundleChanged();
  });
  return runApp(flags);
});
