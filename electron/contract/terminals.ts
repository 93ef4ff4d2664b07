import * as z from "zod/v4";
import { SessionId, TerminalStatus } from "../../bridge/contract/api.ts";

/**
 * One process that an agent started here, in this or an earlier start of the app, and the proof of its end. The command is
 * kept for this start only: it may hold anything.
 */
export const TerminalRecord = z.object({
  session_id: SessionId,
  agent: z.string(),
  command: z.string().optional(),
  /** Length of the whole command, where `command` is only its beginning. */
  command_chars: z.number().int().optional(),
  shell: z.string(),
  cwd: z.string(),
  /** Of the leader; null when it did not start. */
  pid: z.number().int().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  status: TerminalStatus,
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  /** Processes of the session that were still alive when it was last looked. */
  left_behind: z.number().int(),
  gone_at: z.string().nullable(),
  /**
   * `reaped`: the system reported the leader's end, and three looks found nothing of its session. `ended_by_app`: the bridge
   * was gone, and main ended what was left. `not_there_at_start`: the app died; at the next start no process carried its marker.
   */
  proof: z.enum(["reaped", "ended_by_app", "not_there_at_start", "never_started"]).nullable(),
});
export type TerminalRecord = z.infer<typeof TerminalRecord>;
