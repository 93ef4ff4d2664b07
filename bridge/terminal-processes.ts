import { setImmediate } from "node:timers/promises";
import type { Clock } from "../loopback/clock.ts";
import { endProcesses, operatingSystem, type LadderStep } from "../loopback/end-processes.ts";
import { TERMINAL_MARKER } from "../loopback/environment.ts";
import { ownProcesses, renewClaims, type Claim } from "../loopback/ownership.ts";
import { visitNewcomers } from "../loopback/newcomers.ts";
import { nowOrder, readProcess, type ProcessId, type ProcessRow } from "../loopback/processes.ts";
import type { StopResponse } from "./contract/api.ts";

/** A person pressed Stop: what cleans up after itself gets the time for it. First comes what Ctrl-C would send. */
export const STOP_STEPS: readonly LadderStep[] = [
  { signal: "SIGINT", waitMs: 2_000 },
  { signal: "SIGTERM", waitMs: 2_000 },
  { signal: "SIGKILL", waitMs: 2_000 },
];

/** A person stopped everything: nobody waits at all. */
export const AT_ONCE_STEPS: readonly LadderStep[] = [{ signal: "SIGKILL", waitMs: 2_000 }];

/** The app is closing: nobody waits long. */
export const SHUTDOWN_STEPS: readonly LadderStep[] = [
  { signal: "SIGINT", waitMs: 500 },
  { signal: "SIGTERM", waitMs: 1_000 },
  { signal: "SIGKILL", waitMs: 1_000 },
];

export type StopSeen = Pick<StopResponse, "outcome" | "alive">;

/** What is asked of the system about a leader; a parameter so that tests can have it fail. */
export interface LeaderLook {
  /** See `nowOrder`. */
  now(): number;
  read(pid: number): Promise<ProcessRow | undefined>;
}

export const LEADER_LOOK: LeaderLook = { now: nowOrder, read: readProcess };

/**
 * All processes of one terminal: those of the leader's session, those that carry the terminal's marker (they left the session,
 * `nohup`, `setsid` and double forks included), and their descendants.
 */
export class TerminalProcesses {
  readonly #marker: string;
  /** In the unit of `ProcessRow.startOrder`: what is older cannot carry the marker, and need not be looked at. */
  readonly #since: number;
  readonly #look: LeaderLook;
  /** The leader's number, until it is known which process that is, or that it has ended. */
  #unidentified: number | undefined;
  #leader: ProcessId | undefined;
  /** One while the leader's number means its session, none after that. */
  #claims: Claim[] = [];

  /** @param since `now` of before the leader was started */
  constructor(sessionId: string, pid: number, since: number, look = LEADER_LOOK) {
    this.#marker = `${TERMINAL_MARKER}=${sessionId}`;
    this.#unidentified = pid;
    this.#since = since;
    this.#look = look;
  }

  /** Undefined before it is identified, and when it was reaped before that. */
  get leader(): ProcessId | undefined {
    return this.#leader;
  }

  /**
   * To be called right after the spawn. A leader that is reaped by then is not known; its processes are, by the marker.
   * @throws when it cannot be looked at now: that is done again before it gets a signal
   */
  async identify(): Promise<void> {
    const pid = this.#unidentified;
    if (pid === undefined) return;
    const knownAt = this.#look.now();
    const row = await this.#look.read(pid);
    // It may have ended meanwhile.
    if (this.#unidentified === undefined) return;
    this.#unidentified = undefined;
    if (row === undefined) return;
    this.#leader = { pid, startTime: row.startTime };
    this.#claims = [{ ...this.#leader, knownAt }];
  }

  /** Tells that the leader's number was its own until now: it has just been reaped. */
  leaderEnded(): void {
    const nobody = this.#unidentified;
    this.#unidentified = undefined;
    let knownAt: number;
    try {
      knownAt = this.#look.now();
    } catch {
      return; // the moment of the last look has to do
    }
    this.#claims = this.#claims.map((claim) => ({ ...claim, knownAt }));
    // Whoever has this number from now on is another; those who were in its session before are its own.
    if (nobody !== undefined) this.#claims = [{ pid: nobody, startTime: "", knownAt }];
  }

  /** Kills the leader's process group, without a look at anything else: the blow that comes before the ladder. */
  async strike(): Promise<void> {
    await this.identify();
    const { leader } = this;
    if (leader === undefined) return;
    const now = await this.#look.read(leader.pid);
    if (now?.startTime === leader.startTime) operatingSystem.signalGroup(leader.pid, "SIGKILL");
  }

  /** How many are alive now. */
  async count(): Promise<number> {
    const { at, from, rows: listed } = await nextList();
    const isMarked = (row: ProcessRow) =>
      !row.zombie && row.startOrder >= this.#since && operatingSystem.carries(row.pid, this.#marker);
    const marked = new Set(listed.filter(isMarked).map((row) => row.pid));
    const known = new Set(listed.map((row) => row.pid));
    const newcomers: ProcessRow[] = [];
    await visitNewcomers(operatingSystem, from, (row) => {
      if (!known.has(row.pid)) newcomers.push(row);
      if (isMarked(row)) marked.add(row.pid);
      return Promise.resolve();
    });
    const rows = [...listed, ...newcomers];
    const own = ownProcesses(rows, { claims: this.#claims, marked, exclude: new Set([process.pid]) });
    this.#claims = renewClaims(rows, this.#claims, at);
    if (own.every((row) => known.has(row.pid))) return own.length;
    // What forks on and on was seen under several numbers, and is at least one.
    const there = own.filter((row) => operatingSystem.readNow(row.pid)?.startTime === row.startTime);
    return Math.max(there.length, 1);
  }

  /**
   * Ends them all, rung by rung. Every outcome but `not_confirmed` means that nothing was alive at the last looks.
   * @throws when the system's processes cannot be had
   */
  async end(steps: readonly LadderStep[], clock: Clock): Promise<StopSeen> {
    try {
      await this.identify();
    } catch (error) {
      // Only there all are found by the marker alone.
      if (process.platform !== "linux") throw error;
    }
    const report = await endProcesses({
      claims: this.#claims,
      marker: this.#marker,
      since: this.#since,
      steps,
      clock,
    });
    // What appears faster than it can be looked at is at least one.
    const alive = Math.max(report.survivors.length, report.unsettled === true ? 1 : 0);
    return { outcome: alive > 0 ? "not_confirmed" : outcomeOf(report.lastSignal), alive };
  }
}

interface List {
  /** In the unit of `ProcessRow.startOrder`. */
  at: number;
  /** As in `visitNewcomers`. */
  from: number | undefined;
  rows: ProcessRow[];
}

let waiting: Promise<List> | undefined;

/** A list that is read after the call, with a moment before it was. All who ask in one turn of the event loop share it. */
function nextList(): Promise<List> {
  waiting ??= setImmediate().then(async () => {
    waiting = undefined;
    const at = nowOrder();
    const from = operatingSystem.lastPid();
    return { at, from, rows: await operatingSystem.list() };
  });
  return waiting;
}

function outcomeOf(lastSignal: NodeJS.Signals | undefined): StopSeen["outcome"] {
  if (lastSignal === undefined) return "already_ended";
  if (lastSignal === "SIGINT") return "after_int";
  return lastSignal === "SIGTERM" ? "after_term" : "after_kill";
}
