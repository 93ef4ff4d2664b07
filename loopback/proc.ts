import { readFileSync } from "node:fs";

/** The process is gone, or another user's. */
const NOT_TOLD = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);

/**
 * A file of /proc/<pid>, as latin1; undefined where there is no such process, or where this user may not look. Any other error
 * says nothing of the process (that there are no descriptors left, say), and must not be taken for its end.
 * @throws the error of the read
 */
export function readOf(pid: number, file: "environ" | "limits" | "stat"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch (error) {
    // Elsewhere than on Linux there is no /proc at all.
    if (error instanceof Error && "code" in error && NOT_TOLD.has(String(error.code))) return undefined;
    throw error;
  }
}
