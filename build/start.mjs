// `npm start -- FLAGS`: set-up, build and app in this one process. A chain of commands would not hand on a signal that
// npm gets (the shell between them does not), and the app would live on without its terminal.
import { inform, runApp } from "./app.mjs";
import { bundleChanged } from "./bundle.mjs";
import { endedBySignals, runScript } from "./console.mjs";
import { setUp } from "./setup.mjs";

await runScript(async () => {
  const flags = process.argv.slice(2);
  if (inform(flags)) return 0;
  await endedBySignals(async () => {
    await setUp();
    await bundleChanged();
  });
  return runApp(flags);
});
