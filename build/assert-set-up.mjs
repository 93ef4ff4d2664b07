// What npm runs before the scripts that are other people's programs, or built ones: in a fresh clone those end with "not
// found" in the words of a shell or with a stack, which tell nobody what to do. Arguments: files that have to be built.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Problem, runScript } from "./console.mjs";
import { assertPackages } from "./packages.mjs";
import { ROOT } from "./paths.mjs";

await runScript(() => {
  assertPackages(ROOT);
  const missing = process.argv.slice(2).find((file) => !existsSync(join(ROOT, file)));
  if (missing !== undefined)
    throw new Problem(
      `${missing} is not built yet; run \`npm run build\` (or \`npm start\`, which does it).`,
    );
});
