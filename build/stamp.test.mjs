import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contentHash, isCurrent, writeStamp } from "./stamp.mjs";

describe("the content hash of the sources", () => {
  let root = "";
  const hash = () => contentHash(root, ["a", "lock.json", "missing"]);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "ironbridge-stamp-"));
    mkdirSync(join(root, "a", "deep"), { recursive: true });
    writeFileSync(join(root, "a", "one.ts"), "one");
    writeFileSync(join(root, "a", "deep", "two.ts"), "two");
    writeFileSync(join(root, "lock.json"), "{}");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it.each([
    ["a changed file", () => writeFileSync(join(root, "a", "deep", "two.ts"), "tw0")],
    ["a new file", () => writeFileSync(join(root, "a", "three.ts"), "")],
    ["a renamed file", () => renameSync(join(root, "a", "one.ts"), join(root, "a", "uno.ts"))],
    ["a file that was named itself", () => writeFileSync(join(root, "lock.json"), "{ }")],
    [
      "text moved from one file to the next",
      () => {
        writeFileSync(join(root, "a", "deep", "two.ts"), "");
        writeFileSync(join(root, "a", "one.ts"), "onetwo");
      },
    ],
  ])("changes with %s", (_, change) => {
    const before = hash();
    change();
    expect(hash()).not.toBe(before);
  });

  it("does not change with a test file", () => {
    const before = hash();
    writeFileSync(join(root, "a", "one.test.ts"), "x");
    expect(hash()).toBe(before);
  });

  it("counts as current only together with every output", () => {
    const stamp = join(root, "stamp");
    const output = join(root, "out.cjs");
    expect(isCurrent(stamp, "h", [])).toBe(false);
    writeStamp(stamp, "h");
    expect(isCurrent(stamp, "h", [])).toBe(true);
    expect(isCurrent(stamp, "other", [])).toBe(false);
    expect(isCurrent(stamp, "h", [output])).toBe(false);
    writeFileSync(output, "");
    expect(isCurrent(stamp, "h", [output])).toBe(true);
  });
});
