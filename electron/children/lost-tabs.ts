import { TERMINAL_LIMITS, type TerminalSession } from "../../bridge/contract/api.ts";

/** Of bridges that died: how their terminals ended. Their tabs stay until the person closes them. */
export interface LostTabs {
  readonly list: readonly TerminalSession[];
  /** The oldest go when there are more than the next bridge is told of. */
  add(sessions: readonly TerminalSession[]): void;
  /** False: it is none of them. */
  close(sessionId: string): boolean;
}

/** @param onChanged is told all that are left */
export function lostTabs(onChanged: (list: readonly TerminalSession[]) => void): LostTabs {
  let list: readonly TerminalSession[] = [];
  const change = (next: readonly TerminalSession[]) => {
    list = next;
    onChanged(list);
  };
  return {
    get list() {
      return list;
    },
    add: (sessions) =>
      change(
        [...list, ...sessions.map((session) => ({ ...session, lost: true as const }))].slice(
          -TERMINAL_LIMITS.sessions,
        ),
      ),
    close(sessionId) {
      const left = list.filter((session) => session.session_id !== sessionId);
      const was = left.length < list.length;
      if (was) change(left);
      return was;
    },
  };
}
