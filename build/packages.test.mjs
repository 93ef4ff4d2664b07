import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Problem } from "./console.mjs";
import { assertNode, packagesHash, packagesState } from "./packages.mjs";

describe("the installed packages", () => {
  let root = "";
  /** @param {Record<string, unknown>} description */
  const describeProject = (description) =>
    writeFileSync(join(root, "package.json"), JSON.stringify(description));
  const stamp = () => writeFileSync(join(root, "node_modules", ".ironbridge-lock"), packagesHash(root));

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "ironbridge-packages-"));
    describeProject({ dependencies: { a: "1.0.0" }, scripts: { x: "1" } });
    writeFileSync(join(root, "package-lock.json"), "{}");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("are outdated before the first installation and after one that did not reach its end", () => {
    expect(packagesState(root)).toBe("outdated");
    mkdirSync(join(root, "node_modules"));
    expect(packagesState(root)).toBe("outdated");
  });

  it("are current until the lock, a dependency or an allowed script changes", () => {
    mkdirSync(join(root, "node_modules"));
    stamp();
    expect(packagesState(root)).toBe("current");
    writeFileSync(join(root, "package-lock.json"), '{"a":1}');
    expect(packagesState(root)).toBe("outdated");
    stamp();
    describeProject({ dependencies: { a: "1.0.1" } });
    expect(packagesState(root)).toBe("outdated");
    stamp();
    describeProject({ dependencies: { a: "1.0.1" }, allowScripts: { a: true } });
    expect(packagesState(root)).toBe("outdated");
  });

  it("stay current when only a script of package.json changes", () => {
    mkdirSync(join(root, "node_modules"));
    stamp();
    describeProject({ dependencies: { a: "1.0.0" }, scripts: { x: "2" } });
    expect(packagesState(root)).toBe("current");
  });

  it("are left alone when node_modules is a link", () => {
    symlinkSync(tmpdir(), join(root, "node_modules"));
    expect(packagesState(root)).toBe("linked");
  });
});

describe("the Node that runs the set-up", () => {
  it.each(["18.20.0", "20.17.9"])("is refused with a sentence when it is %s", (version) => {
    expect(() => assertNode(version)).toThrow(Problem);
    expect(() => assertNode(version)).toThrow(`Node ${version} is too old; install Node 20.18 or newer`);
  });

  it.each(["20.18.0", "20.20.2", "22.0.0"])("is accepted when it is %s", (version) => {
    expect(() => assertNode(version)).not.toThrow();
  });
});
