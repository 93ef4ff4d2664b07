import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeFolder, removeFolders } from "./make-folder.mjs";
import { makeWritableFolder } from "./writable-folder.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "ironbridge-writable-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

it("makes a folder with what leads to it, says what it made, and leaves no trace of the try", () => {
  const [outer, inner] = [join(folder, "a"), join(folder, "a", "b")];
  expect(makeWritableFolder(inner)).toEqual([outer, inner]);
  expect(statSync(outer).mode & 0o777).toBe(0o700);
  expect(statSync(inner).mode & 0o777).toBe(0o700);
  expect(readdirSync(inner)).toEqual([]);
  expect(makeWritableFolder(inner)).toEqual([]);
});

it("throws what the system says of a path that leads through a file, and has made nothing", () => {
  const file = join(folder, "file");
  writeFileSync(file, "kept");
  for (const path of [file, join(file, "below", "deep")])
    expect(() => makeWritableFolder(path)).toThrow(/EEXIST|ENOTDIR/);
  expect(() => makeFolder(join(folder, "a", "b", "n".repeat(300)))).toThrow("ENAMETOOLONG");
  expect(readdirSync(folder)).toEqual(["file"]);
});

it.runIf(process.platform === "linux")("throws at once below and in a folder that takes nothing new", () => {
  for (const path of ["/proc/ironbridge/deep", "/proc"])
    expect(() => makeWritableFolder(path)).toThrow("ENOENT");
});

it("takes away what it made, up to where somebody has put something", () => {
  const made = makeFolder(join(folder, "a", "b", "c"));
  writeFileSync(join(folder, "a", "theirs"), "");
  removeFolders(made);
  expect(readdirSync(join(folder, "a"))).toEqual(["theirs"]);
  expect(existsSync(folder)).toBe(true);
});
