import { rm } from "node:fs/promises";
import { ENDED_STATUSES, type TerminalSession } from "../../bridge/contract/api.ts";
import type { Clock } from "../../loopback/clock.ts";
import { endProcesses, operatingSystem, type LadderStep } from "../../loopback/end-processes.ts";
import { SESSION_MARKER, TERMINAL_MARKER } from "../../loopback/environment.ts";
import type { Claim } from "../../loopback/ownership.ts";
import { carriesEntry, isOfTerminal, nowOrder, readProcess } from "../../loopback/processes.ts";

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
  /** As it last told. */
  readonly sessions: readonly TerminalSession[];
  readonly clock: Clock;
}

export interface LostTerminals extends Whose {
  readonly ended: number;
  readonly survivors: readonly number[];
}

/** Of which terminals processes live on. */
interface Whose {
  /** How many, by session. */
  readonly leftIn: ReadonlyMap<string, number>;
  /** So many are of any of them. */
  readonly unknown: number;
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
  const { leftIn, unknown } = await whose(report.survivors, dead.sessions);
  return {
    ended: report.ended.length,
    survivors: report.survivors,
    leftIn,
    // What appears faster than it can be looked at is at least one.
    unknown: report.unsettled === true ? Math.max(unknown, 1) : unknown,
  };
}

/** By their markers and by the leaders' sessions: another user's process shows no marker. */
export async function whose(pids: readonly number[], sessions: readonly TerminalSession[]): Promise<Whose> {
  const leftIn = new Map<string, number>();
  let unknown = 0;
  for (const pid of pids) {
    const row = await readProcess(pid);
    const of =
      sessions.find(({ session_id: id }) => carriesEntry(pid, `${TERMINAL_MARKER}=${id}`)) ??
      sessions.find(({ pid: leader }) => leader === pid || leader === row?.session || leader === row?.group);
    if (of === undefined) unknown += 1;
    else leftIn.set(of.session_id, (leftIn.get(of.session_id) ?? 0) + 1);
  }
  return { leftIn, unknown };
}

/**
 * How the tabs of a dead bridge go on being shown: those that ran have ended, by us, and their status says that nobody saw
 * their leader's own end. Of which nothing is left was seen by us, unless the bridge had seen it before.
 */
export function lostSessions(
  sessions: readonly TerminalSession[],
  seen: LostTerminals,
  endedAt: Date,
): TerminalSession[] {
  const at = endedAt.toISOString();
  return sessions.map((session) => {
    if (session.gone_at !== undefined || session.status === "failed_to_start") return session;
    const left = (seen.leftIn.get(session.session_id) ?? 0) + seen.unknown;
    const seenNow = { left_behind: left, ...(left === 0 && { gone_at: at, ended_by_app: true as const }) };
    if (ENDED_STATUSES.includes(session.status)) return { ...session, ...seenNow };
    const fate =
      left === 0
        ? "its processes were ended"
        : `${seen.survivors.length} of all its terminals' processes could not be ended: ${seen.survivors.join(", ")}`;
    const reason = `The terminal bridge stopped unexpectedly; ${fate}.`;
    return { ...session, status: "signalled", reason, ended_at: at, ...seenNow };
  });
}
