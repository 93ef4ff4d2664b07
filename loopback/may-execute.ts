import { accessSync, constants, statSync } from "node:fs";

/** Whether we may execute this file, or enter this folder. */
export function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether it is a file that we may execute. */
export function isProgram(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false) && mayExecute(path);
}
