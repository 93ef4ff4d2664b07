import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openProfile } from "./profile.ts";
import { StartProblem } from "./start-problem.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "ironbridge-open-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe("the profile's folder", () => {
  it("is made with what leads to it, for its owner only, and left without a trace of the try", () => {
    const profile = openProfile(join(folder, "a", "b"));
    expect(statSync(profile.folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(profile.folder)).toEqual([]);
    expect(openProfile(profile.folder)).toEqual(profile);
  });

  it("that a file is in the way of is refused with its name and what to do", () => {
    const file = join(folder, "file");
    writeFileSync(file, "kept");
    for (const path of [file, join(file, "below")]) {
      expect(() => openProfile(path)).toThrow(StartProblem);
      expect(() => openProfile(path)).toThrow(`${path} cannot be used (`);
      expect(() => openProfile(path)).toThrow("--user-data-dir=DIR");
    }
  });

  it.runIf(process.platform === "linux")("below what takes no new folder is refused, and at once", () => {
    expect(() => openProfile("/proc/ironbridge/profile")).toThrow("cannot be used");
  });
});
