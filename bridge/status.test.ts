import { describe, expect, it } from "vitest";
import { BORN, hasEnded, nextLife, signalName, type Life, type LifeEvent } from "./status.ts";

const STARTED: LifeEvent = { type: "started" };
const STOP: LifeEvent = { type: "stop_requested", by: "the person" };
const ended = (exitCode: number, signal = 0): LifeEvent => ({ type: "ended", exitCode, signal });

function live(...events: LifeEvent[]): Life {
  return events.reduce(nextLife, BORN);
}

describe("the life of a session", () => {
  it.each<[string, LifeEvent[], Partial<Life>]>([
    ["begins as starting", [], { status: "starting", exitCode: null, signal: null, reason: null }],
    ["runs", [STARTED], { status: "running" }],
    [
      "fails to start",
      [{ type: "not_started", reason: "no" }],
      { status: "failed_to_start", reason: "no", exitCode: null },
    ],
    ["exits with 0", [STARTED, ended(0)], { status: "exited", exitCode: 0, signal: null }],
    ["exits with 255", [STARTED, ended(255)], { status: "exited", exitCode: 255, signal: null }],
    ["is killed", [STARTED, ended(0, 9)], { status: "signalled", exitCode: null, signal: "SIGKILL" }],
    ["keeps running while it is being stopped", [STARTED, STOP], { status: "running" }],
    [
      "is stopped by a signal",
      [STARTED, STOP, ended(0, 2)],
      { status: "stopped_by_user", exitCode: null, signal: "SIGINT", reason: "stopped by the person" },
    ],
    [
      "is stopped and exits by itself",
      [STARTED, STOP, ended(130)],
      { status: "stopped_by_user", exitCode: 130, signal: null },
    ],
    ["waits for a person", [STARTED, { type: "waits" }], { status: "waiting_input" }],
    ["goes on", [STARTED, { type: "waits" }, { type: "goes_on" }], { status: "running" }],
    ["ends while it waits", [STARTED, { type: "waits" }, ended(1)], { status: "exited", exitCode: 1 }],
    ["cannot wait before it runs", [{ type: "waits" }], { status: "starting" }],
    ["ended before the stop came", [STARTED, ended(3), STOP], { status: "exited", exitCode: 3 }],
    ["ends once", [STARTED, ended(3), ended(4, 9)], { status: "exited", exitCode: 3, signal: null }],
    ["stays failed", [{ type: "not_started", reason: "no" }, STARTED], { status: "failed_to_start" }],
  ])("%s", (_name, events, expected) => {
    expect(live(...events)).toMatchObject(expected);
  });

  it("refuses what cannot happen while it runs", () => {
    expect(() => live(STARTED, STARTED)).toThrow("a session that is running cannot start");
    expect(() => live(STARTED, { type: "not_started", reason: "" })).toThrow("cannot fail to start");
  });

  it("has ended in its four last states only", () => {
    const statuses = [
      "starting",
      "running",
      "waiting_input",
      "exited",
      "signalled",
      "stopped_by_user",
      "failed_to_start",
    ] as const;
    expect(statuses.filter((status) => hasEnded({ ...BORN, status }))).toEqual(statuses.slice(3));
  });
});

describe("signal names", () => {
  it.each([
    [1, "SIGHUP"],
    [2, "SIGINT"],
    [6, "SIGABRT"],
    [9, "SIGKILL"],
    [15, "SIGTERM"],
    [64, "SIG64"],
  ])("%i is %s", (number, name) => {
    expect(signalName(number)).toBe(name);
  });
});
