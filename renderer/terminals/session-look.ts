import type { TerminalSession } from "../../bridge/contract/api.ts";
import { statusLook, type StatusLook } from "../ui/status-words.ts";

/** What a session's status means to a person. A command that ended with a code other than 0 has failed. */
export function sessionLook({
  status,
  exit_code,
}: Pick<TerminalSession, "status" | "exit_code">): StatusLook {
  const look = statusLook("terminal", status);
  if (status !== "exited" || exit_code === 0) return look;
  return { tone: "bad", icon: "cross", word: "Failed" };
}
