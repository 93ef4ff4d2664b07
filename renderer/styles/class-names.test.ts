import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" });
const sources = files.filter((file) => file.endsWith(".tsx"));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** Class selectors of a style sheet, comments, attributes and values left out. */
function classesOf(css: string): Set<string> {
  const names = new Set<string>();
  const bare = css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\[[^\]]*\]/g, "");
  for (const block of bare.matchAll(/([^{}]*)\{/g)) {
    for (const [, name] of (block[1] ?? "").matchAll(/\.([A-Za-z][\w-]*)/g))
      if (name !== undefined) names.add(name);
  }
  return names;
}

const pairs = sources.flatMap((file) => {
  const source = read(file);
  const [, sheet] = /import styles from "(\.[\w./-]+\.module\.css)"/.exec(source) ?? [];
  if (sheet === undefined) return [];
  const used = new Set([...source.matchAll(/\bstyles\.(\w+)/g)].map(([, name]) => name ?? ""));
  return [{ file, sheet: join(dirname(file), sheet), used }];
});

test("there is something to check", () => {
  expect(pairs.length).toBeGreaterThan(20);
});

test.each(pairs)("every class that $file uses is in $sheet", ({ sheet, used }) => {
  const known = classesOf(read(sheet));
  expect([...used].filter((name) => !known.has(name))).toEqual([]);
});

test("no style sheet has a class that nothing uses", () => {
  const unused = files
    .filter((file) => file.endsWith(".module.css"))
    .flatMap((sheet) => {
      const users = pairs.filter((pair) => pair.sheet === sheet);
      return [...classesOf(read(sheet))]
        .filter((name) => !users.some(({ used }) => used.has(name)))
        .map((name) => `${sheet}: ${name}`);
    });
  expect(unused).toEqual([]);
});
