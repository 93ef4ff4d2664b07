import { systemClock, type Clock } from "./clock.ts";
import { lastingMarksOf } from "./lasting-mark.ts";
import { lastPid, visitNewcomers, type Numbers } from "./newcomers.ts";
import { ownProcesses, renewClaims, type Claim } from "./ownership.ts";
import {
  environOf,
  listProcesses,
  nowOrder,
  readLinux,
  readProcess,
  type ProcessId,
  type ProcessRow,
} from "./processes.ts";
import { sharedReads } from "./shared-reads.ts";
import { signalGroup, signalPid, taskkillTree } from "./signals.ts";

/** One rung of a ladder: who is still there when it begins gets the signal. */
export interface LadderStep {
  signal: NodeJS.Signals;
  /** How long it is waited for before the next rung, in ms; on the last rung, before giving up. */
  waitMs: number;
}

/** What these functions ask of the operating system; a parameter so that tests can invent processes. */
export interface ProcessSystem extends Numbers {
  list(): Promise<ProcessRow[]>;
  carries(pid: number, entry: string): boolean;
  isStill(row: ProcessRow): Promise<boolean>;
  signal(pid: number, signal: NodeJS.Signals): Promise<void>;
  signalGroup(group: number, signal: NodeJS.Signals): void;
  /** In the unit of `ProcessRow.startOrder`. */
  now(): number;
}

export const operatingSystem: ProcessSystem = {
  ...sharedReads({ list: listProcesses, environ: environOf, marks: lastingMarksOf }),
  // Outside Linux a look at one process costs a list of all; there the list of a moment ago has to do.
  isStill: async (row) =>
    process.platform !== "linux" || (await readProcess(row.pid))?.startTime === row.startTime,
  signal: async (pid, signal) => {
    if (process.platform === "win32") await taskkillTree(pid);
    else signalPid(pid, signal);
  },
  signalGroup,
  now: nowOrder,
  lastPid,
  readNow: readLinux,
};

export interface EndOptions {
  claims: readonly Claim[];
  /** `NAME=value`: processes that carry it, in their environment or as a lasting mark, are ours. */
  marker?: string;
  /**
   * In the unit of `ProcessRow.startOrder`: what is older cannot carry the marker. Without it every process of the machine is
   * asked at every look, which is most of what a look takes.
   */
  since?: number;
  steps: readonly LadderStep[];
  exclude?: ReadonlySet<number>;
  clock?: Clock;
  system?: ProcessSystem;
}

export interface EndReport {
  /** The processes that were signalled and are gone. */
  ended: number[];
  /** The last signal that was needed; undefined when there was nothing to end. */
  lastSignal?: NodeJS.Signals;
  /**
   * Still there when the last rung's time was over, or not proved gone: of what forks faster than it is looked at, the one
   * that was seen last.
   */
  survivors: number[];
  /** New processes kept appearing to the last, so there may be some of ours that nobody has seen. */
  unsettled?: true;
}

/** A process between fork and exec shows neither environment, so one look that finds nothing is not enough. */
const QUIET_LOOKS = 3;
const LOOK_EVERY_MS = 25;
/** While new processes of ours keep appearing and are killed, nobody waits. */
const CHASE_EVERY_MS = 1;
/** A process that forks for ever is many; no report needs them all. */
const MAX_TOLD = 1_000;

/**
 * Ends everything that is ours by `ownProcesses`, rung by rung, looking again and again until nothing is found, since
 * processes may fork meanwhile. Every process is compared with what was listed right before it is signalled. A look that
 * finds nothing counts only when no process has appeared that it has not seen.
 * @throws when the system's processes cannot be had, after the last rung too
 */
export async function endProcesses(options: EndOptions): Promise<EndReport> {
  const { clock = systemClock, system = operatingSystem, marker, since = 0, steps } = options;
  const markedOf = (rows: readonly ProcessRow[]) => marked(rows, { marker, since }, system);
  const exclude = new Set([...(options.exclude ?? []), process.pid]);
  const signalled = new Map<string, number>();
  let rung = 0;
  let rungSinceMs = clock.nowMs();
  let quiet = 0;
  let lastSignal: NodeJS.Signals | undefined;
  let lastSeen: number | undefined;
  let { claims } = options;
  /** Looks and signals. The report, once it is time for one; else whether new ones of ours keep appearing. */
  const look = async (): Promise<EndReport | { chases: boolean }> => {
    const at = system.now();
    const from = system.lastPid();
    const rows = await system.list();
    const own = ownProcesses(rows, { claims, marked: markedOf(rows), exclude });
    const step = steps[rung];
    // SIGKILL is repeated at every look: nobody handles it, and members of a group come and go.
    const due = own.filter(
      (row) => step !== undefined && (step.signal === "SIGKILL" || !signalled.has(key(row, step))),
    );
    const sign = (row: ProcessRow, by: LadderStep) => {
      if (signalled.size < MAX_TOLD) signalled.set(key(row, by), row.pid);
      lastSignal = by.signal;
    };
    if (step !== undefined && due.length > 0) {
      for (const row of due) sign(row, step);
      await signalAll(due, own, rows, step.signal, system);
    }
    const young: ProcessRow[] = [];
    const settled = await visitNewcomers(system, from, async (row) => {
      young.push(row);
      if (row.zombie || exclude.has(row.pid) || marker === undefined || !system.carries(row.pid, marker))
        return;
      lastSeen = row.pid;
      if (step?.signal !== "SIGKILL") return;
      // At once: in a moment it may have forked and have another number.
      sign(row, step);
      await system.signal(row.pid, "SIGKILL");
    });
    const all = withYoung(rows, young);
    const found = young.length === 0 ? own : ownProcesses(all, { claims, marked: markedOf(all), exclude });
    // A leader that dies of the first signal must not take the proof for the rest of its session with it.
    claims = renewClaims(rows, claims, at);
    quiet = found.length === 0 && settled ? quiet + 1 : 0;
    if (quiet >= QUIET_LOOKS || (step === undefined && quiet === 0)) {
      const survivors = notGone(found, settled, lastSeen, system);
      const ended = [...new Set(signalled.values())].filter((pid) => !survivors.includes(pid));
      return {
        ended,
        survivors,
        ...(lastSignal === undefined ? {} : { lastSignal }),
        ...(settled ? {} : { unsettled: true }),
      };
    }
    return { chases: step?.signal === "SIGKILL" && (!settled || young.some((row) => row.pid === lastSeen)) };
  };
  for (;;) {
    const step = steps[rung];
    let chases = false;
    try {
      const seen = await look();
      if ("survivors" in seen) return seen;
      chases = seen.chases;
    } catch (error) {
      // What could not be looked at is not gone: for want of descriptors, say. It may be had in a moment.
      if (step === undefined) throw error;
      quiet = 0;
    }
    await clock.sleep(chases ? CHASE_EVERY_MS : LOOK_EVERY_MS);
    if (step !== undefined && clock.nowMs() - rungSinceMs >= step.waitMs) {
      rung += 1;
      rungSinceMs = clock.nowMs();
    }
  }
}

/** See `EndReport.survivors`. */
function notGone(
  found: readonly ProcessRow[],
  settled: boolean,
  lastSeen: number | undefined,
  system: ProcessSystem,
): number[] {
  if (settled) return found.map((row) => row.pid);
  const there = found.filter((row) => system.readNow(row.pid)?.startTime === row.startTime);
  if (there.length > 0) return there.map((row) => row.pid);
  return lastSeen === undefined ? [] : [lastSeen];
}

/** Both, each process once. */
function withYoung(rows: readonly ProcessRow[], young: readonly ProcessRow[]): ProcessRow[] {
  return [...new Map([...rows, ...young].map((row) => [row.pid, row])).values()];
}

function marked(
  rows: readonly ProcessRow[],
  { marker, since }: { marker: string | undefined; since: number },
  system: ProcessSystem,
): Set<number> {
  if (marker === undefined) return new Set();
  const young = rows.filter((row) => !row.zombie && row.startOrder >= since);
  return new Set(young.flatMap((row) => (system.carries(row.pid, marker) ? [row.pid] : [])));
}

async function signalAll(
  due: readonly ProcessRow[],
  own: readonly ProcessRow[],
  rows: readonly ProcessRow[],
  signal: NodeJS.Signals,
  system: ProcessSystem,
): Promise<void> {
  const ours = new Set(own.map((row) => row.pid));
  const done = new Set<number>();
  for (const row of due) {
    if (done.has(row.group) || !(await system.isStill(row))) continue;
    // As a group where all of it is ours: no member can fork away between two signals.
    const members = rows.filter((other) => other.group === row.group && !other.zombie);
    const whole = row.group > 1 && members.every((member) => ours.has(member.pid) && due.includes(member));
    if (whole) {
      done.add(row.group);
      system.signalGroup(row.group, signal);
      // A stopped process handles nothing before it is continued.
      if (signal !== "SIGKILL") system.signalGroup(row.group, "SIGCONT");
    } else {
      await system.signal(row.pid, signal);
      // A group of 0 means Windows, where the first signal was the last.
      if (signal !== "SIGKILL" && row.group > 0) await system.signal(row.pid, "SIGCONT");
    }
  }
}

function key(id: ProcessId, step: LadderStep): string {
  return `${step.signal} ${id.pid} ${id.startTime}`;
}
