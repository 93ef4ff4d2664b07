import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeCacheFolder } from "./cache-folder.mjs";
import { Problem } from "./console.mjs";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "ironbridge-cache-"))));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it("makes the folder that the variable names, and what is asked for below it", () => {
  vi.stubEnv("IRONBRIDGE_CACHE", join(folder, "a", "b"));
  makeCacheFolder("tools");
  expect(existsSync(join(folder, "a", "b", "tools"))).toBe(true);
});

it.runIf(process.platform === "linux")("says at once which folder cannot be made, and what to do", () => {
  writeFileSync(join(folder, "file"), "");
  for (const path of ["/proc/ironbridge", join(folder, "file")]) {
    vi.stubEnv("IRONBRIDGE_CACHE", path);
    expect(() => makeCacheFolder()).toThrow(Problem);
    expect(() => makeCacheFolder()).toThrow(`The cache folder ${path} cannot be made (`);
    expect(() => makeCacheFolder()).toThrow("IRONBRIDGE_CACHE");
  }
});
