import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NODE_ENTRIES } from "./entries.mjs";
import { scratchProject } from "./scratch-project.mjs";

const SOURCE = 'import * as z from "zod/v4"; console.log(z.number().parse(1));';
const VITE_CONFIG = `
  import { defineConfig } from "vite";
  export default defineConfig({
    root: "renderer", base: "./",
    build: { outDir: "../dist/renderer", emptyOutDir: true, rollupOptions: { input: ["renderer/index.html"] } },
  });`;

describe("[G2] the bundler", () => {
  const project = scratchProject({
    ...Object.fromEntries(Object.values(NODE_ENTRIES).map(({ source }) => [source, SOURCE])),
    "electron/lazy.ts": "export const lazy = 1;",
    "electron/main.ts": `
      import { app } from "electron"; import * as pty from "node-pty"; import * as z from "zod/v4";
      import { DatabaseSync } from "@photostructure/sqlite";
      export const all = async () => [app, pty, z, DatabaseSync, await import("./lazy.ts")];`,
    "mcp/server/docs/guide.md": '# A "guide"\n\nwith `code`\n',
    "mcp/server/main.ts": 'import guide from "./docs/guide.md"; process.stdout.write(guide);',
    "renderer/vite.config.ts": VITE_CONFIG,
    "renderer/index.html": '<script type="module" src="./main.ts"></script>',
    "renderer/main.ts": "console.log(1 as number);",
  });
  const dist = join(project.root, "dist");
  /** @param {string[]} names */
  const bundle = (...names) =>
    spawnSync(process.execPath, ["build/bundle.mjs", ...names], { cwd: project.root, encoding: "utf8" });

  /** @type {ReturnType<typeof bundle>} */
  let first;
  beforeAll(() => {
    first = bundle();
  });
  afterAll(() => project.remove());

  it("builds everything the first time, without a word of warning", () => {
    expect(first.stderr).toBe("");
    expect(first.status).toBe(0);
  });

  it.each(Object.keys(NODE_ENTRIES))(
    "makes %s one file that needs only Node, Electron and the natives",
    (name) => {
      const code = readFileSync(join(dist, `${name}.cjs`), "utf8");
      const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map((hit) => String(hit[1]));
      const known = ["electron", "node-pty", "@photostructure/sqlite", ...builtinModules];
      expect(required.filter((specifier) => !known.includes(specifier.replace(/^node:/, "")))).toEqual([]);
      expect(existsSync(join(dist, `${name}.cjs.map`))).toBe(true);
    },
  );

  it("leaves the natives and Electron to be loaded at run time", () => {
    const code = readFileSync(join(dist, "main.cjs"), "utf8");
    for (const external of ["electron", "node-pty", "@photostructure/sqlite"]) {
      expect(code).toContain(`require("${external}")`);
    }
  });

  it("makes the tool server a program that a shell can start, with its documents inside", () => {
    const program = join(dist, "mcp-server.cjs");
    expect(statSync(program).mode & 0o111).not.toBe(0);
    const run = spawnSync(program, { encoding: "utf8" });
    expect(run.stdout).toBe('# A "guide"\n\nwith `code`\n');
  });

  it("makes the pages", () => {
    expect(existsSync(join(dist, "renderer/index.html"))).toBe(true);
  });

  it("does nothing the second time, and only the processes when only one of their sources changed", () => {
    expect(bundle().stdout).toBe("bundle processes: unchanged\nbundle renderer: unchanged\n");
    project.write("engine/main.ts", "console.log(2);");
    const { stdout } = bundle();
    expect(stdout).toContain("bundle main, preload");
    expect(stdout).toContain("bundle renderer: unchanged");
  });

  it("builds everything again after a build of one entry, whose sources may have been others", () => {
    project.write("engine/main.ts", "console.log(3);");
    expect(bundle("engine").status).toBe(0);
    project.write("engine/main.ts", "console.log(2);");
    expect(bundle().stdout).toContain("bundle main, preload");
    expect(readFileSync(join(dist, "engine.cjs"), "utf8")).toContain("console.log(2)");
  });

  it("names a missing entry in one sentence", () => {
    rmSync(join(project.root, "bridge/main.ts"));
    const { status, stderr } = bundle();
    expect(status).toBe(1);
    expect(stderr).toBe(
      'bundle: bridge/main.ts is missing; restore it or take "bridge" out of build/entries.mjs.\n',
    );
  });

  it("names the known entries when it is asked for another one", () => {
    const { status, stderr } = bundle("nope");
    expect(status).toBe(2);
    expect(stderr).toContain("nope: must be one of main, preload,");
  });
});
