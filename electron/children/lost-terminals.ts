import { rm } from "node:fs/promises";
import { ENDED_STATUSES, type TerminalSession } from "../../bridge/contract/api.ts";
import type { Clock } from "../../loopback/clock.ts";
import { endProcesses, operatingSystem, type LadderStep } from "../../loopback/end-processes.ts";
import { SESSION_MARKER } from "../../loopback/environment.ts";
import type { Claim } from "../../loopback/ownership.ts";
import { carriesEntry, isOfTerminal, nowOrder } from "../../loopback/processes.ts";

/** Nobody can watch or stop them any more, so nobody waits long. */
const STEPS: readonly LadderStep[] = [
  { signal: "SIGTERM", waitMs: 500 },
  { signal: "SIGKILL", waitMs: 2_000 },
];

export interface DeadBridge {
  /** This life of the app. */
  readonly launch: string;
  /** The leaders that it had told of and not taken back. */
  readonly leaders: ReadonlyMap<number, string>;
  /** Its private folder, once it had told of it. */
  readonly folder: string | undefined;
  readonly clock: Clock;
}

export interface LostTerminals {
  readonly ended: number;
  readonly survivors: readonly number[];
}

/**
 * Ends what ran in the terminals of a bridge that is gone: the sessions of its leaders, whatever carries the marker of a
 * terminal of this launch (also of one that the bridge did not live to tell of), and their descendants. Then its folder
 * goes. To be called before the next bridge starts.
 */
export async function endLostTerminals(dead: DeadBridge): Promise<LostTerminals> {
  const knownAt = nowOrder();
  const claims: Claim[] = [...dead.leaders].map(([pid, startTime]) => ({ pid, startTime, knownAt }));
  const report = await endProcesses({
    claims,
    marker: `${SESSION_MARKER}=${dead.launch}`,
    steps: STEPS,
    clock: dead.clock,
    // Our own children carry the launch's marker too; a terminal's processes carry both.
    system: {
      ...operatingSystem,
      carries: (pid, entry) => isOfTerminal(pid) && carriesEntry(pid, entry),
    },
  });
  if (dead.folder !== undefined) await rm(dead.folder, { recursive: true, force: true });
  return { ended: report.ended.length, survivors: report.survivors };
}

/**
 * How the tabs of a dead bridge go on being shown: those that ran have ended, by us, and their status says that nobody saw
 * their leader's own end.
 */
export function lostSessions(
  sessions: readonly TerminalSession[],
  seen: LostTerminals,
  endedAt: Date,
): TerminalSession[] {
  const left = seen.survivors.length;
  const fate =
    left === 0
      ? "its processes were ended"
      : `${left} of all its terminals' processes could not be ended: ${seen.survivors.join(", ")}`;
  return sessions.map((session) =>
    ENDED_STATUSES.includes(session.status)
      ? { ...session, left_behind: left === 0 ? 0 : session.left_behind }
      : {
          ...session,
          status: "signalled",
          reason: `The terminal bridge stopped unexpectedly; ${fate}.`,
          ended_at: endedAt.toISOString(),
          left_behind: 0,
        },
  );
}
