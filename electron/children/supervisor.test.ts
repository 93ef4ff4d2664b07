import { describe, expect, it } from "vitest";
import { handClock } from "../testing/hand-clock.ts";
import { RESTART_AFTER_MS, STEADY_AFTER_MS, supervise, type ChildState, type Running } from "./supervisor.ts";

/** Children that end when the test says so. */
function children(failures: string[] = []) {
  const alive: { end: (how: string) => void; stopped: boolean }[] = [];
  const states: ChildState<number>[] = [];
  let starts = 0;
  return {
    alive,
    states,
    starts: () => starts,
    names: () => states.map(({ name }) => name),
    onState: (state: ChildState<number>) => void states.push(state),
    start: async (): Promise<Running<number>> => {
      starts += 1;
      const failure = failures.shift();
      if (failure !== undefined) throw new Error(failure);
      const child = { end: (() => {}) as (how: string) => void, stopped: false };
      const ended = new Promise<string>((done) => (child.end = done));
      alive.push(child);
      return {
        value: starts,
        ended,
        stop: async () => {
          child.stopped = true;
          child.end("stopped");
        },
      };
    },
  };
}

describe("a supervised child", () => {
  it("is restarted three times, later each time, then shown as crashed with its last words", async () => {
    const time = handClock();
    const kids = children();
    const supervised = supervise({ start: kids.start, onState: kids.onState, clock: time.clock });
    await time.settle();
    for (const waitMs of RESTART_AFTER_MS) {
      kids.alive.at(-1)?.end("segmentation fault");
      await time.settle();
      expect(time.sleeping()).toEqual([waitMs]);
      await time.move(waitMs - 1);
      const before = kids.starts();
      await time.move(1);
      expect(kids.starts()).toBe(before + 1);
    }
    kids.alive.at(-1)?.end("out of memory");
    await time.settle();
    expect(supervised.state).toEqual({ name: "crashed", problem: "out of memory" });
    expect(kids.starts()).toBe(4);
    await supervised.stop();
  });

  it("is started anew when that was asked while it still came up, for what it began with no longer holds", async () => {
    const time = handClock();
    const kids = children();
    const held: (() => void)[] = [];
    const start = async () => {
      await new Promise<void>((come) => held.push(come));
      return kids.start();
    };
    const supervised = supervise({ start, onState: kids.onState, clock: time.clock });
    await time.settle();
    supervised.restart();
    held.shift()?.();
    await time.settle();
    expect(kids.alive[0]?.stopped).toBe(true);
    expect(kids.names()).not.toContain("running");
    held.shift()?.();
    await time.settle();
    expect(supervised.state).toEqual({ name: "running", value: 2 });
    expect(kids.alive[1]?.stopped).toBe(false);
    await supervised.stop();
  });

  it("counts a child that did not come up as a crash, and keeps the reason", async () => {
    const time = handClock();
    const kids = children(["no port", "no port", "no port", "no port at all"]);
    const supervised = supervise({ start: kids.start, onState: kids.onState, clock: time.clock });
    await time.settle();
    for (const waitMs of RESTART_AFTER_MS) await time.move(waitMs);
    expect(supervised.state).toEqual({ name: "crashed", problem: "no port at all" });
    await supervised.stop();
  });

  it("has all its restarts again after it ran steadily", async () => {
    const time = handClock();
    const kids = children();
    const supervised = supervise({ start: kids.start, onState: kids.onState, clock: time.clock });
    await time.settle();
    for (const waitMs of RESTART_AFTER_MS) {
      kids.alive.at(-1)?.end("x");
      await time.settle();
      await time.move(waitMs);
    }
    await time.move(STEADY_AFTER_MS);
    kids.alive.at(-1)?.end("x");
    await time.settle();
    expect(supervised.state).toEqual({ name: "starting", problem: "x" });
    expect(time.sleeping()).toEqual([RESTART_AFTER_MS[0]]);
    await supervised.stop();
  });

  it("starts anew when a person asks after a crash", async () => {
    const time = handClock();
    const kids = children(["a", "b", "c", "d"]);
    const supervised = supervise({ start: kids.start, onState: kids.onState, clock: time.clock });
    await time.settle();
    for (const waitMs of RESTART_AFTER_MS) await time.move(waitMs);
    expect(supervised.state.name).toBe("crashed");
    supervised.restart();
    await time.settle();
    expect(supervised.state).toEqual({ name: "running", value: 5 });
    await supervised.stop();
  });

  it("is started anew at once when a person asks while it runs, and that is no crash", async () => {
    const time = handClock();
    const kids = children();
    const supervised = supervise({ start: kids.start, onState: kids.onState, clock: time.clock });
    await time.settle();
    for (let run = 2; run <= 6; run += 1) {
      supervised.restart();
      await time.settle();
      expect(supervised.state).toEqual({ name: "running", value: run });
    }
    expect(kids.alive.map(({ stopped }) => stopped)).toEqual([true, true, true, true, true, false]);
    await supervised.stop();
  });

  it("is ended and awaited when it is stopped, and not started again", async () => {
    const time = handClock();
    const kids = children();
    const supervised = supervise({ start: kids.start, onState: kids.onState, clock: time.clock });
    await time.settle();
    await supervised.stop();
    expect(kids.alive[0]?.stopped).toBe(true);
    expect(kids.names()).toEqual(["starting", "running", "stopped"]);
    await time.move(1_000_000);
    expect(kids.starts()).toBe(1);
  });

  it("can be stopped while it waits for a restart", async () => {
    const time = handClock();
    const kids = children(["a"]);
    const supervised = supervise({ start: kids.start, onState: kids.onState, clock: time.clock });
    await time.settle();
    await supervised.stop();
    expect(supervised.state.name).toBe("stopped");
    expect(kids.starts()).toBe(1);
  });

  it("ends a child that came up while it was being stopped", async () => {
    const time = handClock();
    const kids = children();
    let comeUp = () => {};
    const gate = new Promise<void>((open) => (comeUp = open));
    const supervised = supervise({
      start: async () => {
        await gate;
        return kids.start();
      },
      onState: kids.onState,
      clock: time.clock,
    });
    await time.settle();
    const stopped = supervised.stop();
    comeUp();
    await stopped;
    expect(kids.alive[0]?.stopped).toBe(true);
  });
});
