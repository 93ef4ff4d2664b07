// Our own suite over the wire, one test per row of the contract: `npm run test:engine [-- --url=URL]`.
import { runEntry } from "../testing/run-entry.mjs";

await runEntry(new URL("main.ts", import.meta.url));
