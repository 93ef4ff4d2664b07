// Sources to dist/: one CJS file per process (build/entries.mjs), then the pages in dist/renderer.
// `node build/bundle.mjs` builds what changed; `node build/bundle.mjs engine renderer` builds only those, always.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { oneOf, readArguments } from "./arguments.mjs";
import { Problem, endedBySignals, runScript, say, step } from "./console.mjs";
import { NODE_ENTRIES, NODE_FOLDERS, RENDERER_CONFIG, RENDERER_FOLDERS } from "./entries.mjs";
import { assertPackages } from "./packages.mjs";
import { DIST, ROOT, isScript } from "./paths.mjs";
import { run } from "./run.mjs";
import { contentHash, isCurrent, writeStamp } from "./stamp.mjs";

/** Natives are loaded from node_modules at run time; electron exists only inside Electron. */
const EXTERNAL = ["electron", "node-pty", "@photostructure/sqlite"];
const RECIPE = ["build/bundle.mjs", "build/entries.mjs", "package-lock.json", "tsconfig.base.json"];
const RENDERER = "renderer";
const NODE_STAMP = join(DIST, ".stamp-node");
const RENDERER_STAMP = join(DIST, ".stamp-renderer");

/** @param {string} name */
const outputOf = (name) => join(DIST, `${name}.cjs`);

/**
 * @param {string} name
 * @param {import("./entries.mjs").Entry} entry
 */
async function bundleEntry(name, entry) {
  // Imported here: the set-up, which installs it, may run in the same process before.
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: join(ROOT, entry.source),
    platform: "node",
    external: EXTERNAL,
    // jsonc-parser's `main` cannot be bundled; its `module` can.
    resolve: { mainFields: ["module", "main"] },
    // 33 is the oldest Electron the app runs on; this is its Node.
    transform: { target: "node20.18" },
    moduleTypes: { ".md": "text" },
    tsconfig: false,
  });
  await bundle.write({
    file: outputOf(name),
    format: "cjs",
    sourcemap: true,
    codeSplitting: false,
    ...(entry.executable ? { banner: "#!/usr/bin/env node" } : {}),
  });
  await bundle.close();
  if (entry.executable) chmodSync(outputOf(name), 0o755);
}

async function bundleRenderer() {
  rmSync(RENDERER_STAMP, { force: true });
  // In a process of its own, which has no terminal: there it would write hundreds of escape codes into ours.
  const vite = join(ROOT, "node_modules", "vite", "bin", "vite.js");
  const said = await run(
    process.execPath,
    [vite, "build", "--config", join(ROOT, RENDERER_CONFIG), "--logLevel", "warn"],
    { cwd: ROOT, advice: "mend what it names and build again." },
  );
  if (said.trim() !== "") say(said.trimEnd());
}

/** @param {string[]} names */
function assertSources(names) {
  for (const name of names) {
    const source = name === RENDERER ? RENDERER_CONFIG : (NODE_ENTRIES[name]?.source ?? "");
    if (!existsSync(join(ROOT, source))) {
      throw new Problem(
        `bundle: ${source} is missing; restore it or take "${name}" out of build/entries.mjs.`,
      );
    }
  }
}

/** @param {string[]} names */
async function bundleNode(names) {
  rmSync(NODE_STAMP, { force: true }); // half of a build, or a build of some, is not what any stamp describes
  await step(`bundle ${names.join(", ")}`, () =>
    Promise.all(names.map((name) => bundleEntry(name, /** @type {never} */ (NODE_ENTRIES[name])))),
  );
}

/** Builds what changed since the last time. @throws {Problem} */
export async function bundleChanged() {
  assertPackages(ROOT);
  mkdirSync(DIST, { recursive: true });
  const names = Object.keys(NODE_ENTRIES);
  assertSources([...names, RENDERER]);
  const nodeHash = contentHash(ROOT, [...NODE_FOLDERS, ...RECIPE]);
  if (isCurrent(NODE_STAMP, nodeHash, names.map(outputOf))) {
    say("bundle processes: unchanged");
  } else {
    removeOldOutputs(names);
    await bundleNode(names);
    writeStamp(NODE_STAMP, nodeHash);
  }
  const rendererHash = contentHash(ROOT, [...RENDERER_FOLDERS, ...RECIPE]);
  if (isCurrent(RENDERER_STAMP, rendererHash, [join(DIST, RENDERER)])) {
    say("bundle renderer: unchanged");
  } else {
    await step("bundle renderer", bundleRenderer);
    writeStamp(RENDERER_STAMP, rendererHash);
  }
}

/**
 * A file of an entry that no longer exists must not be found by anybody.
 * @param {string[]} names
 */
function removeOldOutputs(names) {
  const kept = new Set(names.flatMap((name) => [`${name}.cjs`, `${name}.cjs.map`]));
  for (const { name } of readdirSync(DIST, { withFileTypes: true }).filter((row) => row.isFile())) {
    if (!kept.has(name) && !name.startsWith(".")) rmSync(join(DIST, name));
  }
}

/** @param {string[]} named entries to build, changed or not */
async function bundleNamed(named) {
  assertPackages(ROOT);
  mkdirSync(DIST, { recursive: true });
  assertSources(named);
  const processes = named.filter((name) => name !== RENDERER);
  if (processes.length > 0) await bundleNode(processes);
  if (named.includes(RENDERER)) await step("bundle renderer", bundleRenderer);
}

if (isScript(import.meta.url)) {
  await runScript(() => {
    const { more: named } = readArguments({
      usage: "npm run build -- [ENTRY ...]",
      about: "Builds what changed since the last time, or those entries, changed or not.",
      more: oneOf([...Object.keys(NODE_ENTRIES), RENDERER]),
    });
    return endedBySignals(() => (named.length === 0 ? bundleChanged() : bundleNamed(named)));
  });
}
