import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./paths.mjs";

/**
 * What a script and the files that it imports before it does anything take from elsewhere.
 * @param {string} file
 * @param {Set<string>} seen
 * @returns {string[]}
 */
function importedBy(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";/gm);
  return [...imports].flatMap(([, name = ""]) =>
    name.startsWith(".") ? importedBy(join(dirname(file), name), seen) : [name],
  );
}

test.each(["setup.mjs", "start.mjs", "app.mjs", "test.mjs", "assert-set-up.mjs"])(
  "%s can be started before any package is installed",
  (script) => {
    const imported = importedBy(join(ROOT, "build", script));
    expect(imported).toContain("node:path");
    expect(imported.filter((name) => !name.startsWith("node:"))).toEqual([]);
  },
);
