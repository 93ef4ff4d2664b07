// What npm runs before the scripts that are other people's programs: in a fresh clone those are "not found" in the
// words of a shell, which tell nobody what to do.
import { runScript } from "./console.mjs";
import { assertPackages } from "./packages.mjs";
import { ROOT } from "./paths.mjs";

await runScript(() => assertPackages(ROOT));
