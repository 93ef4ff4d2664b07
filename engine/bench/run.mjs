// Three-step push runs, lists of a million runs, memory: `npm run bench:engine [-- --quick]`.
import { runEntry } from "../testing/run-entry.mjs";

await runEntry(new URL("main.ts", import.meta.url));
