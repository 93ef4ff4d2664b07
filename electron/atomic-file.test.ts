import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeUnfinished, writeFileAtomic } from "./atomic-file.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "ironbridge-atomic-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a file that is written as a whole", () => {
  it("takes the place of the one before and leaves nothing beside it", () => {
    const path = join(folder, "settings.json");
    writeFileAtomic(path, "old");
    writeFileAtomic(path, "new");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readdirSync(folder)).toEqual(["settings.json"]);
  });

  it("that a kill left unfinished is taken away at the next start, and nothing else is", () => {
    writeFileSync(join(folder, ".0b3d1f9e-8d3c-4a52-9d0e-1f5b7c2a6e40.tmp"), '{"half of');
    const others = [".notes.tmp", "engines.json", "engines.json.broken-2026", "x.tmp"];
    for (const name of others) writeFileSync(join(folder, name), "kept");
    removeUnfinished(folder);
    expect(readdirSync(folder).toSorted()).toEqual(others);
  });
});
