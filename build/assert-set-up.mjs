// What npm runs before the scripts that are other people's programs, or built ones: in a fresh clone those end with "not
// found" in the words of a shell or with a stack, which tell nobody what to do. Arguments: files that have to be built.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./arguments.mjs";
import { Problem, runScript } from "./console.mjs";
import { assertPackages } from "./packages.mjs";
import { ROOT } from "./paths.mjs";

await runScript(() => {
  const { more: files } = readArguments({
    usage: "node build/assert-set-up.mjs [FILE ...]",
    about: "Says what to run first when the packages are not installed, or one of the files is not built.",
    more: (text) => text,
  });
  assertPackages(ROOT);
  const missing = files.find((file) => !existsSync(join(ROOT, file)));
  if (missing !== undefined)
    throw new Problem(
      `${missing} is not built yet; run \`npm run build\` (or \`npm start\`, which does it).`,
    );
});
