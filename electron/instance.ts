import { app } from "electron";
import { readConnectionFile } from "./connection-file.ts";
import type { Profile } from "./profile.ts";

/**
 * Makes this process the only one of its profile, or says who is. The one that runs is told and comes to the front; the
 * flags of this second start count for nothing.
 * @returns false when another instance has the profile: this process has nothing more to do
 */
export function becomeOnlyInstance(profile: Profile): boolean {
  if (app.requestSingleInstanceLock()) return true;
  const other = readConnectionFile(profile.connectionFile);
  const who =
    other === undefined ? "another process" : `process ${other.pid}, agents reach it at ${other.mcp.url}`;
  process.stdout.write(
    `Ironbridge already runs with ${profile.folder}: ${who}. Flags of this start are ignored.\n`,
  );
  return false;
}
