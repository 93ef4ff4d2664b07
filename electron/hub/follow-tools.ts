import { CallError, type McpSession } from "../../mcp/client/session.ts";
import type { Clock } from "../../loopback/clock.ts";

/** What is used of a session here, so that a test can stand in for it. */
export type ListingSession = Pick<McpSession, "listTools" | "onToolsChanged">;

export interface FollowToolsOptions {
  /** Hears the whole list: at the start, and after each change. */
  readonly onTools: (tools: readonly unknown[]) => void;
  /** Hears why a list could not be read; what was heard last stays. */
  readonly onProblem: (cause: CallError) => void;
  readonly clock: Clock;
  /** Aborts when the session is over. */
  readonly ended: AbortSignal;
}

/** How long after a list that could not be read it is asked for again, in ms. */
export const LIST_AGAIN_MS = 2_000;

/** Reads a tool server's list, and again after each `list_changed`, one at a time, until its session ends. */
export async function followTools(session: ListingSession, options: FollowToolsOptions): Promise<void> {
  const { clock, ended } = options;
  let isStale = true;
  let wake = () => {};
  const stopListening = session.onToolsChanged(() => {
    isStale = true;
    wake();
  });
  const onEnd = () => wake();
  ended.addEventListener("abort", onEnd);
  try {
    while (!ended.aborted) {
      if (isStale) {
        isStale = false; // news during the read means one more
        if (!(await read())) await clock.sleep(LIST_AGAIN_MS, ended);
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    stopListening();
    ended.removeEventListener("abort", onEnd);
  }

  async function read(): Promise<boolean> {
    try {
      const tools = await session.listTools({ signal: ended });
      if (!ended.aborted) options.onTools(tools);
      return true;
    } catch (cause) {
      if (!(cause instanceof CallError)) throw cause;
      if (ended.aborted) return true;
      options.onProblem(cause);
      isStale = true;
      return false;
    }
  }
}
