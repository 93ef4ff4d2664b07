import type { TerminalSession } from "../../bridge/contract/api.ts";
import { madeVisible } from "../../electron/contract/visible.ts";

/** How a session ended: its exit code, its signal, or why it never began. Null while it goes on. */
export function endText({ exit_code, signal, reason }: TerminalSession): string | null {
  if (exit_code !== null) return `exit code ${exit_code}`;
  if (signal !== null) return signal;
  return reason === null ? null : madeVisible(reason);
}
