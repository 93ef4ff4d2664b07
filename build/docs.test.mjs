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
/** The tool server and the engine have flags of their own; the README may name theirs too. */
const toolServerText = readdirSync(join(ROOT, "mcp", "server"))
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => read(join("mcp", "server", name)))
  .join("\n");
const engineText = read(join("engine", "options.ts"));
/** Other programs' flags that it may name. */
const OTHERS = new Set(["--no-sandbox", "--inspect", "--remote-debugging", "--enable-logging", "--lang"]);

/**
 * @param {string} text
 * @param {RegExp} pattern with one group
 */
const all = (text, pattern) => [...new Set([...text.matchAll(pattern)].map((hit) => String(hit[1])))];

/** @param {string} file from the root */
const isMissing = (file) => !existsSync(join(ROOT, file));

describe.each(DOCUMENTS)("%s", (path) => {
  const text = read(path);
  const named = [...all(text, /npm run ([a-z][a-z0-9:-]*)/g), ...all(text, /\bnpm (start|test)\b/g)];

  it("names npm scripts that exist", () => {
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it("names npm scripts whose programs exist", () => {
    const programs = named.flatMap((name) => all(scripts[name] ?? "", /\bnode ([\w./-]+)/g));
    expect(programs.filter((file) => !file.startsWith("dist/") && isMissing(file))).toEqual([]);
  });

  it("names files that exist", () => {
    expect(all(text, /\b((?:build|e2e|engine|bridge|mcp)\/[\w./-]+\.(?:mjs|ts))/g).filter(isMissing)).toEqual(
      [],
    );
  });

  it("leads to files that exist", () => {
    const targets = all(text, /\]\(([^)#\s]+)[^)]*\)/g).filter((target) => !/^[a-z]+:/.test(target));
    expect(targets.filter((target) => isMissing(join(dirname(path), target)))).toEqual([]);
  });
});

describe("the README", () => {
  const text = read("README.md");

  it.each(appFlags.filter((flag) => !["--help", "--version"].includes(flag)))("explains %s", (flag) => {
    expect(text).toContain(`\`${flag}`);
  });

  it("names flags that exist", () => {
    const known = (/** @type {string} */ flag) =>
      appFlags.includes(flag) ||
      OTHERS.has(flag) ||
      toolServerText.includes(flag.slice(2)) ||
      engineText.includes(`"${flag.slice(2)}"`) ||
      engineText.includes(`${flag.slice(2)}:`);
    expect(all(text, /(?<![\w-])(--[a-z][a-z-]*[a-z])/g).filter((flag) => !known(flag))).toEqual([]);
  });
});
