// For tests: a small project with this folder's scripts and tiny sources, in a temporary folder.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "./paths.mjs";

/** What the scripts import from elsewhere. */
const BESIDE_BUILD = [
  "electron/chromium-switches.mjs",
  "electron/flag-words.mjs",
  "loopback/make-folder.mjs",
  "loopback/nearest-name.mjs",
];

/**
 * @param {Record<string, string>} files path from the project's root to content
 * @returns {{ root: string, write: (path: string, content: string) => void, remove: () => void }}
 */
export function scratchProject(files) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ironbridge-scratch-")));
  cpSync(join(ROOT, "build"), join(root, "build"), { recursive: true });
  for (const name of [...BESIDE_BUILD, "package.json", "package-lock.json", "tsconfig.base.json"])
    cpSync(join(ROOT, name), join(root, name));
  symlinkSync(realpathSync(join(ROOT, "node_modules")), join(root, "node_modules"));
  const write = (/** @type {string} */ path, /** @type {string} */ content) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) };
}
