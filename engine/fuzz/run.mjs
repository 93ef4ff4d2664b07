// Mutated requests over every route and method: `node engine/fuzz/run.mjs [--minutes=N --seed=N]`.
import { runEntry } from "../testing/run-entry.mjs";

await runEntry(new URL("main.ts", import.meta.url));
