// Kill -9 at random moments under mixed load: `npm run soak:engine [-- --rounds=N --seed=N]`; `--fuzz` runs the mutated requests.
import { runEntry } from "../testing/run-entry.mjs";

await runEntry(new URL("main.ts", import.meta.url));
