import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.mjs";

/**
 * Makes a folder for its owner only when it is not there yet, and tries whether it can be written.
 * @returns what was not there before, outermost first
 * @throws the system's error
 */
export function makeWritableFolder(folder: string): readonly string[] {
  const made = makeFolder(folder, 0o700);
  const probe = join(folder, `.${randomUUID()}.tmp`); // only a try tells: root may everything, but not on every disk
  writeFileSync(probe, "");
  rmSync(probe, { force: true }); // whoever has the folder may take it for a file of its own that was left
  return made;
}
