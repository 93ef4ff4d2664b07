import type { TerminalSession } from "../bridge/contract/api.ts";
import type { Notice } from "./notice.ts";

export interface TerminalNoticeParts {
  /** Whether the person looks at a window of ours. */
  isFocused(): boolean;
  notify(text: { title: string; body: string }, onClick: () => void): Notice | undefined;
  /** Brings its tab to the front. */
  show(sessionId: string): void;
}

export interface TerminalNotices {
  /** What the bridge tells of its sessions now. */
  follow(sessions: readonly TerminalSession[]): void;
  /** These tabs the page shows now, and no other. */
  inView(sessionIds: readonly string[]): void;
  /** A window of ours has got the focus. */
  focused(): void;
}

/**
 * Tells a person who does not look at its tab when a program in a terminal begins to wait for them: once, until they have seen
 * the tab. The notice goes away when the program goes on. The text is ours: what a program prints is not repeated outside of
 * its tab.
 */
export function terminalNotices(parts: TerminalNoticeParts): TerminalNotices {
  let waiting: ReadonlySet<string> = new Set();
  let shown: readonly string[] = [];
  /** Told since they were last seen, with what of it is on the desktop still. */
  const told = new Map<string, Notice | undefined>();

  const seen = () => {
    if (!parts.isFocused()) return;
    for (const id of shown) {
      told.get(id)?.close();
      told.delete(id);
    }
  };
  const isSeen = (id: string) => shown.includes(id) && parts.isFocused();

  return {
    follow(sessions) {
      const now = sessions.filter(({ status }) => status === "waiting_input");
      const fresh = now.filter(({ session_id }) => !waiting.has(session_id));
      waiting = new Set(now.map(({ session_id }) => session_id));
      for (const [id, notice] of told) {
        if (waiting.has(id)) continue;
        notice?.close();
        if (sessions.some(({ session_id }) => session_id === id)) told.set(id, undefined);
        else told.delete(id);
      }
      seen();
      for (const { session_id: id, agent } of fresh) {
        if (isSeen(id) || told.has(id)) continue;
        const text = {
          title: "A terminal waits for input",
          body: `A program that ${agent} started waits for someone to type.`,
        };
        told.set(
          id,
          parts.notify(text, () => parts.show(id)),
        );
      }
    },
    inView(sessionIds) {
      shown = sessionIds;
      seen();
    },
    focused: seen,
  };
}
