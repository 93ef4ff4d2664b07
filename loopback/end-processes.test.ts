import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.ts";
import { endProcesses, type EndOptions, type ProcessSystem } from "./end-processes.ts";
import type { ProcessRow } from "./processes.ts";

/** A machine with invented processes. `listen` decides what a signal does; by default every signal kills. */
class InventedSystem implements ProcessSystem {
  rows: ProcessRow[] = [];
  readonly marked = new Map<number, string>();
  readonly log: string[] = [];
  looks = 0;
  tick = 1_000;
  newest = 1_000;
  /** Called before every look. */
  onLook: () => void = () => {};
  deaf = new Set<number>();
  /** Numbers that mean another process by the time they are signalled. */
  reused = new Set<number>();

  add(pid: number, change: Partial<ProcessRow> = {}): void {
    const startOrder = change.startOrder ?? pid;
    const row = {
      pid,
      parent: 1,
      group: pid,
      session: pid,
      startTime: `b:${startOrder}`,
      startOrder,
      zombie: false,
    };
    this.rows.push({ ...row, ...change });
  }
  list(): Promise<ProcessRow[]> {
    this.looks += 1;
    this.tick += 1;
    this.onLook();
    return Promise.resolve(this.rows.map((row) => ({ ...row })));
  }
  carries(pid: number, entry: string): boolean {
    return this.marked.get(pid) === entry;
  }
  isStill(row: ProcessRow): Promise<boolean> {
    return Promise.resolve(!this.reused.has(row.pid));
  }
  signal(pid: number, signal: NodeJS.Signals): Promise<void> {
    this.log.push(`${signal} ${pid}`);
    this.#die(signal, (row) => row.pid === pid);
    return Promise.resolve();
  }
  signalGroup(group: number, signal: NodeJS.Signals): void {
    this.log.push(`${signal} -${group}`);
    this.#die(signal, (row) => row.group === group);
  }
  now(): number {
    return this.tick;
  }
  /** Called when it is asked for the last number: as late as a new process can appear. */
  onNumber: () => void = () => {};
  lastPid(): number {
    this.onNumber();
    return this.newest;
  }
  readNow(pid: number): ProcessRow | undefined {
    return this.rows.find((row) => row.pid === pid);
  }
  #die(signal: NodeJS.Signals, who: (row: ProcessRow) => boolean): void {
    if (signal === "SIGCONT") return;
    this.rows = this.rows.filter((row) => !who(row) || (signal !== "SIGKILL" && this.deaf.has(row.pid)));
  }
}

/** Time passes only by waiting. */
function waitingClock(): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    sleep: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
}

const STEPS = [
  { signal: "SIGTERM", waitMs: 300 },
  { signal: "SIGKILL", waitMs: 1_000 },
] as const;
const MARKER = "IRONBRIDGE_SESSION=s";
const end = (system: InventedSystem, options: Partial<EndOptions> = {}) =>
  endProcesses({ claims: [], marker: MARKER, steps: STEPS, clock: waitingClock(), system, ...options });
const claim = (pid: number) => ({ pid, startTime: `b:${pid}` });

describe("endProcesses", () => {
  it("signals nobody when nothing is ours, after more than one look", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.add(60, { parent: 50 });
    expect(await end(system, { claims: [claim(70)] })).toStrictEqual({ ended: [], survivors: [] });
    expect(system.log).toStrictEqual([]);
    expect(system.looks).toBe(3);
  });

  it("signals a group as one where all of it is ours, and lets stopped members go on", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.add(51, { group: 50, session: 50 });
    expect(await end(system, { claims: [claim(50)] })).toStrictEqual({
      ended: [50, 51],
      survivors: [],
      lastSignal: "SIGTERM",
    });
    expect(system.log).toStrictEqual(["SIGTERM -50", "SIGCONT -50"]);
  });

  it("signals one by one where a member of the group is somebody else's", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.add(51, { group: 50, session: 50 });
    system.add(52, { group: 50, session: 50 });
    system.marked.set(51, MARKER);
    await end(system);
    expect(system.log).toStrictEqual(["SIGTERM 51", "SIGCONT 51"]);
    expect(system.rows.map(({ pid }) => pid)).toStrictEqual([50, 52]);
  });

  it("[B3] asks nobody for the marker who began before it can have been given", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.add(60);
    for (const pid of [50, 60]) system.marked.set(pid, MARKER);
    expect(await end(system, { since: 55 })).toStrictEqual({
      ended: [60],
      survivors: [],
      lastSignal: "SIGTERM",
    });
    expect(system.rows.map(({ pid }) => pid)).toStrictEqual([50]);
  });

  it("[B3] does not take processes that cannot be looked at for gone: it looks again, and goes on to the next rung", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.deaf.add(50);
    system.onLook = () => {
      if (system.looks > 1 && system.looks < 8) throw new Error("EMFILE");
    };
    const report = await end(system, { claims: [claim(50)] });
    expect(report).toStrictEqual({ ended: [50], survivors: [], lastSignal: "SIGKILL" });
    system.onLook = () => {
      throw new Error("EMFILE");
    };
    await expect(end(system, { claims: [claim(50)] })).rejects.toThrow("EMFILE");
  });

  it("does not signal a number that means another process by then", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.reused.add(50);
    const report = await end(system, { claims: [claim(50)] });
    expect(system.log).toStrictEqual([]);
    expect(report.survivors).toStrictEqual([50]);
  });

  it("sends SIGTERM once and goes on to SIGKILL for the deaf only", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.add(60);
    system.deaf.add(60);
    const report = await end(system, { claims: [claim(50), claim(60)] });
    expect(report).toStrictEqual({ ended: [50, 60], survivors: [], lastSignal: "SIGKILL" });
    expect(system.log).toStrictEqual([
      "SIGTERM -50",
      "SIGCONT -50",
      "SIGTERM -60",
      "SIGCONT -60",
      "SIGKILL -60",
    ]);
  });

  it("finds a process whose environment could not be read at the first look", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.onLook = () => {
      if (system.looks === 2) system.marked.set(50, MARKER);
    };
    expect(await end(system)).toMatchObject({ ended: [50], survivors: [] });
  });

  it("ends the member that was forked while the leader died", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.add(51, { group: 51, session: 50, startOrder: 900 });
    system.deaf.add(51);
    expect(await end(system, { claims: [claim(50)] })).toMatchObject({ ended: [50, 51], survivors: [] });
    expect(system.log.at(-1)).toBe("SIGKILL -51");
  });

  it("reports what cannot be ended when the last step is over", async () => {
    const system = new InventedSystem();
    system.add(50);
    system.onLook = () => {
      if (!system.rows.some(({ pid }) => pid === 50)) system.add(50);
    };
    const report = await end(system, { claims: [claim(50)] });
    expect(report).toStrictEqual({ ended: [], survivors: [50], lastSignal: "SIGKILL" });
  });

  it("never signals itself or whoever is excluded", async () => {
    const system = new InventedSystem();
    system.add(process.pid);
    system.add(50);
    for (const pid of [process.pid, 50]) system.marked.set(pid, MARKER);
    expect(await end(system, { exclude: new Set([50]) })).toStrictEqual({ ended: [], survivors: [] });
    expect(system.log).toStrictEqual([]);
  });

  it("kills the newcomers of newcomers, which no list ever shows", async () => {
    const system = new InventedSystem();
    let hops = 5;
    system.onNumber = () => {
      if (hops === 0 || system.log.length < 6 - hops) system.rows = [];
      if (hops === 0) return;
      hops -= 1;
      system.newest += 1;
      system.add(system.newest);
      system.marked.set(system.newest, MARKER);
    };
    system.onLook = () => (system.rows = []);
    const report = await end(system, { steps: [{ signal: "SIGKILL", waitMs: 1_000 }] });
    expect(report).toMatchObject({ survivors: [], lastSignal: "SIGKILL" });
    expect(report.ended.length).toBeGreaterThan(0);
    expect(system.rows).toStrictEqual([]);
  });

  it("does not say that nothing is alive while what is ours forks faster than it is killed", async () => {
    const system = new InventedSystem();
    const hop = () => {
      system.rows = [];
      system.newest += 1;
      system.add(system.newest);
      system.marked.set(system.newest, MARKER);
    };
    system.onNumber = hop;
    system.onLook = () => (system.rows = []);
    const report = await end(system, { steps: [{ signal: "SIGKILL", waitMs: 100 }] });
    expect(report).toMatchObject({ unsettled: true, lastSignal: "SIGKILL" });
    expect(report.survivors).toHaveLength(1);
  });

  it("does not take a look for quiet during which processes appeared that it could not follow", async () => {
    const system = new InventedSystem();
    let begunAnew = false;
    system.onNumber = () => {
      if (begunAnew) return;
      system.newest -= 1;
      begunAnew = system.looks === 4;
    };
    expect(await end(system)).toStrictEqual({ ended: [], survivors: [] });
    expect(system.looks).toBeGreaterThan(4);
  });
});
