import { makeOwnFolder, newOwnFolder } from "./own-folder.ts";

/**
 * Makes a private folder (0700) for output that memory has no room for. It is below one that main names, on the person's
 * disk: temporary folders are often in memory themselves. One app has a profile, and one bridge, so whatever other bridges
 * left there is removed.
 * @throws when it cannot be made
 */
export async function makeLogFolder(parent: string): Promise<string> {
  makeOwnFolder(parent);
  return newOwnFolder(parent, () => true);
}
