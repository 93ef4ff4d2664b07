import { accessSync, constants } from "node:fs";

/** Whether we may execute this file, or enter this folder. */
export function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
