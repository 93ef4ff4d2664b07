import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageFile } from "./page-file.ts";
import { CONTENT_SECURITY_POLICY } from "./pages.ts";

let folder: string;
let root: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-pages-"));
  root = join(folder, "renderer");
  mkdirSync(join(root, "assets"), { recursive: true });
  writeFileSync(join(root, "index.html"), "page");
  writeFileSync(join(root, "assets", "index-Ab_1.js"), "script");
  writeFileSync(join(root, "assets", "notes.txt"), "text");
  writeFileSync(join(folder, "secret.json"), "{}");
  mkdirSync(join(folder, "renderer-other"));
  writeFileSync(join(folder, "renderer-other", "a.js"), "other");
  symlinkSync(join(folder, "secret.json"), join(root, "link.json"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe("an address of a page", () => {
  it.each([
    ["app://ironbridge/index.html", "text/html"],
    ["app://ironbridge/index.html?x=1#/runs", "text/html"],
    ["app://ironbridge/assets/index-Ab_1.js", "text/javascript"],
    ["app://ironbridge/assets/../index.html", "text/html"],
  ])("%s is a file of the folder", (address, mediaType) => {
    const file = pageFile(root, address);
    expect(file?.mediaType).toContain(mediaType);
    expect(file?.path.startsWith(`${root}/`)).toBe(true);
  });

  it.each([
    "app://ironbridge/../secret.json",
    "app://ironbridge/%2e%2e/secret.json",
    "app://ironbridge/..%2fsecret.json",
    "app://ironbridge/%2e%2e%2fsecret.json",
    "app://ironbridge/..%5csecret.json",
    "app://ironbridge/..%2frenderer-other/a.js",
    "app://ironbridge/assets/%00index.html",
    "app://ironbridge/%ff",
    "app://ironbridge/link.json",
    "app://ironbridge/assets/notes.txt",
    "app://ironbridge/assets",
    "app://ironbridge/",
    "app://ironbridge//index.html",
    "app://ironbridge/missing.html",
    "app://other/index.html",
    "app://ironbridge:80/index.html",
    "app://ironbridge.evil/index.html",
    "file:///etc/passwd",
    "https://ironbridge/index.html",
    "not an address",
  ])("%s is nothing", (address) => {
    expect(pageFile(root, address)).toBeUndefined();
  });
});

describe("what pages may load", () => {
  it.each(Object.entries(CONTENT_SECURITY_POLICY))("%s runs scripts of its own only", (_, policy) => {
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain("unsafe-eval");
  });

  it("the consent page has no inline styles and no connections", () => {
    expect(CONTENT_SECURITY_POLICY["consent.html"]).not.toContain("unsafe-inline");
    expect(CONTENT_SECURITY_POLICY["consent.html"]).toContain("connect-src 'none'");
  });
});
