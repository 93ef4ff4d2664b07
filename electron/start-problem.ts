import { systemReason } from "../loopback/system-reason.ts";

/** Why the app cannot start, in one sentence that says what to do; told without a stack. */
export class StartProblem extends Error {
  override readonly name = "StartProblem";
}

/**
 * What kept the app from starting, told without a stack where the system's own error names the file.
 * @returns anything else as it came
 */
export function asStartProblem(cause: unknown): unknown {
  if (!(cause instanceof Error) || !("code" in cause) || !("path" in cause)) return cause;
  const file = "dest" in cause ? cause.dest : cause.path; // what was renamed is a file of ours
  return new StartProblem(
    `${String(file)} cannot be used (${systemReason(cause)}); move it away, or choose another folder with --user-data-dir=DIR.`,
    { cause },
  );
}
