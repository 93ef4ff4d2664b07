import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REQUIREMENTS } from "../e2e/requirements.ts";
import { ROOT } from "./paths.mjs";

/** @param {string} folder @returns {string[]} every test file below it */
function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return /\.(test|e2e)\.(ts|tsx|mjs)$/.test(entry.name) ? [path] : [];
  });
}

const FOLDERS = ["loopback", "engine", "bridge", "mcp", "electron", "renderer", "e2e", "build"];

describe("the list of promises", () => {
  const cited = new Set(
    FOLDERS.flatMap((folder) => testFiles(join(ROOT, folder)))
      .filter((path) => !path.endsWith("requirements.test.mjs"))
      .flatMap((path) =>
        [...readFileSync(path, "utf8").matchAll(/\[([A-Z]+[A-Z0-9-]*\d)\]/g)].map((hit) => hit[1]),
      ),
  );

  it.each(Object.entries(REQUIREMENTS))("%s has a test that names it: %s", (id) => {
    expect(cited.has(id)).toBe(true);
  });
});
