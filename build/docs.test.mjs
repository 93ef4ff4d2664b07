import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./paths.mjs";

/** @param {string} path from the root */
const read = (path) => readFileSync(join(ROOT, path), "utf8");

const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

/** @type {Record<string, string>} */
const scripts = JSON.parse(read("package.json")).scripts;

/** @type {string[]} */
const helpLines = JSON.parse(read("electron/help.json")).lines;
const appFlags = helpLines.flatMap((line) => /^ {2}(--[a-z-]+)/.exec(line)?.[1] ?? []);
/** The tool server has flags of its own; the README may name both programs'. */
const toolServerText = readdirSync(join(ROOT, "mcp", "server"))
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => read(join("mcp", "server", name)))
  .join("\n");
/** Other programs' flags that it may name. */
const OTHERS = new Set(["--no-sandbox", "--inspect", "--remote-debugging", "--enable-logging", "--lang"]);

/**
 * @param {string} text
 * @param {RegExp} pattern with one group
 */
const all = (text, pattern) => [...new Set([...text.matchAll(pattern)].map((hit) => String(hit[1])))];

describe.each(DOCUMENTS)("%s", (path) => {
  const text = read(path);

  it("names npm scripts that exist, and whose programs exist", () => {
    const named = all(text, /npm run ([a-z][a-z0-9:-]*)/g);
    const bare = all(text, /\bnpm (start|test)\b/g);
    for (const name of [...named, ...bare]) {
      expect(Object.keys(scripts)).toContain(name);
      for (const file of all(scripts[name] ?? "", /\bnode ([\w./-]+)/g))
        if (!file.startsWith("dist/")) expect(existsSync(join(ROOT, file)), file).toBe(true);
    }
  });

  it("names scripts of this folder that exist", () => {
    for (const file of all(text, /\b((?:build|e2e|engine|bridge|mcp)\/[\w./-]+\.(?:mjs|ts))/g))
      expect(existsSync(join(ROOT, file)), file).toBe(true);
  });

  it("leads to files that exist", () => {
    for (const target of all(text, /\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      expect(existsSync(join(ROOT, dirname(path), target)), target).toBe(true);
    }
  });
});

describe("the README", () => {
  it.each(appFlags.filter((flag) => !["--help", "--version"].includes(flag)))("explains %s", (flag) => {
    expect(read("README.md")).toContain(`\`${flag}`);
  });

  it("names flags that exist", () => {
    for (const flag of all(read("README.md"), /(?<![\w-])(--[a-z][a-z-]*[a-z])/g)) {
      const known = appFlags.includes(flag) || OTHERS.has(flag) || toolServerText.includes(flag.slice(2));
      expect(known, flag).toBe(true);
    }
  });
});
