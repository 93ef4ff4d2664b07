import type { TerminalSession } from "../bridge/contract/api.ts";
import { notify } from "./notice.ts";
import type { PageEvents } from "./page-events.ts";

/**
 * Tells the person when a program in a terminal begins to wait for them. The text is ours: what a program prints is not
 * repeated outside of its tab.
 */
export function terminalNotices(page: Pick<PageEvents, "tell">, focus: () => void) {
  let waiting: ReadonlySet<string> = new Set();
  return (sessions: readonly TerminalSession[]): void => {
    const now = sessions.filter(({ status }) => status === "waiting_input");
    const fresh = now.filter(({ session_id }) => !waiting.has(session_id));
    waiting = new Set(now.map(({ session_id }) => session_id));
    for (const { session_id, agent } of fresh) {
      const text = {
        title: "A terminal waits for input",
        body: `A program that ${agent} started waits for someone to type.`,
      };
      notify(text, () => {
        focus();
        page.tell("navigate", { path: `/terminals/${session_id}` });
      });
    }
  };
}
