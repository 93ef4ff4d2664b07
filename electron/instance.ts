import { rmSync } from "node:fs";
import { join } from "node:path";
import { app } from "electron";
import { readConnectionFile } from "./connection-file.ts";
import type { Profile } from "./profile.ts";
import { LOCK_FILE, lockHolder, socketFolder } from "./profile-lock.ts";
import { StartProblem } from "./start-problem.ts";

/**
 * Makes this process the only one of its profile, or says who is. The one that runs is told and comes to the front; the
 * flags of this second start count for nothing.
 * @returns false when another instance has the profile: this process has nothing more to do
 * @throws StartProblem when the profile cannot be taken although no instance of this machine has it
 */
export function becomeOnlyInstance(profile: Profile): boolean {
  const left = socketFolder(profile.folder);
  if (app.requestSingleInstanceLock()) {
    // An instance that was killed leaves the folder of its socket behind.
    if (left !== undefined && left !== socketFolder(profile.folder))
      rmSync(left, { recursive: true, force: true });
    return true;
  }
  const holder = lockHolder(profile.folder);
  if (holder.kind === "nobody" || holder.kind === "elsewhere") {
    const why =
      holder.kind === "nobody"
        ? "cannot be locked although no instance has it;"
        : `is locked by process ${holder.pid} of the machine ${holder.host}; if that one has ended, delete ${join(profile.folder, LOCK_FILE)}, or`;
    throw new StartProblem(
      `The profile folder ${profile.folder} ${why} choose another one with --user-data-dir=DIR.`,
    );
  }
  const other = readConnectionFile(profile.connectionFile);
  const who =
    other === undefined ? "another process" : `process ${other.pid}, agents reach it at ${other.mcp.url}`;
  process.stdout.write(
    `Ironbridge already runs with ${profile.folder}: ${who}. Flags of this start are ignored.\n`,
  );
  return false;
}
