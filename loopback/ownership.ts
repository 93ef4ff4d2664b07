import type { ProcessId, ProcessRow } from "./processes.ts";

/** A process that was started by us. The session and the group of its number belong to it. */
export interface Claim extends ProcessId {
  /**
   * The latest moment (in the unit of `ProcessRow.startOrder`) at which its number was known to mean this process or the
   * session it started. A leader may be gone while its session lives on; see `ownProcesses`.
   */
  knownAt?: number;
}

export interface Ownership {
  claims: readonly Claim[];
  /** Pids of processes that carry our marker. */
  marked: ReadonlySet<number>;
  /** Never ours, whatever else is said: ourselves, and who we work for. */
  exclude: ReadonlySet<number>;
}

/**
 * Which of these processes are ours to end? Those that carry the marker; those that were recorded, when their start time
 * still fits; the members of a recorded leader's session or group; and every descendant of one of them.
 *
 * A number whose leader has gone may by now mean somebody else's session. It cannot be given out anew while the session has
 * a member, and a process gets its session from its parent when it starts. So a member that started before `knownAt` proves
 * that the session is still the recorded one; without such a member it is left alone.
 */
export function ownProcesses(rows: readonly ProcessRow[], by: Ownership): ProcessRow[] {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const own = new Set<number>();
  const add = (row: ProcessRow) => {
    if (row.pid > 1 && !by.exclude.has(row.pid)) own.add(row.pid);
  };
  for (const row of rows) if (by.marked.has(row.pid)) add(row);
  for (const claim of by.claims) for (const row of claimed(rows, byPid.get(claim.pid), claim)) add(row);

  // Down the tree until nothing is added. A parent that started later than its child is a number used again.
  for (let before = -1; before !== own.size;) {
    before = own.size;
    for (const row of rows) {
      const parent = byPid.get(row.parent);
      if (parent !== undefined && own.has(parent.pid) && parent.startOrder <= row.startOrder) add(row);
    }
  }
  return rows.filter((row) => own.has(row.pid) && !row.zombie);
}

/**
 * The claims that still mean something by these rows, known at `at`: a moment before the rows were read. The others are over.
 */
export function renewClaims(rows: readonly ProcessRow[], claims: readonly Claim[], at: number): Claim[] {
  return claims.flatMap((claim) => {
    const leader = rows.find((row) => row.pid === claim.pid);
    return claimed(rows, leader, claim).length > 0 ? [{ ...claim, knownAt: at }] : [];
  });
}

function claimed(rows: readonly ProcessRow[], leader: ProcessRow | undefined, claim: Claim): ProcessRow[] {
  if (leader !== undefined)
    return leader.startTime === claim.startTime
      ? rows.filter((row) => row.pid === claim.pid || row.session === claim.pid || row.group === claim.pid)
      : [];
  // macOS does not tell sessions; there the group has to do.
  const members = rows.filter((row) => (row.session === 0 ? row.group : row.session) === claim.pid);
  const { knownAt } = claim;
  return knownAt !== undefined && members.some((row) => row.startOrder <= knownAt) ? members : [];
}
