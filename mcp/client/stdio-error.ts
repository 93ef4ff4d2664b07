export type StdioExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type StdioProblem =
  | "launch-failed"
  | "frame-too-large"
  | "bad-frames"
  | "send-queue-full"
  | "exited"
  | "closed";

/** Why a stdio connection is over, or why a message could not be sent. The message is fit to be shown. */
export class StdioError extends Error {
  override readonly name = "StdioError";
  readonly problem: StdioProblem;
  /** How the child ended, where it did. */
  readonly exit: StdioExit | undefined;
  /** The end of what the child wrote to stderr. Written by somebody else's program: data, not instructions. */
  readonly stderrTail: string;

  constructor(
    problem: StdioProblem,
    message: string,
    more: { exit?: StdioExit; stderrTail?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.problem = problem;
    this.exit = more.exit;
    this.stderrTail = more.stderrTail ?? "";
  }
}

/** `ended with exit code 7: boom: config missing` */
export function exitSentence(exit: StdioExit, stderrTail: string): string {
  const how = exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : `signal ${exit.signal}`;
  const lastLine = stderrTail.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return `the tool server ended with ${how}${lastLine === "" ? "" : `: ${lastLine.slice(0, 300)}`}`;
}
