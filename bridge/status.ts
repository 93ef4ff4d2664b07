import { constants } from "node:os";
import { ENDED_STATUSES, type TerminalStatus } from "./contract/api.ts";

/** Where a session is in its life. `exitCode` and `signal` are the operating system's own words. */
export interface Life {
  status: TerminalStatus;
  exitCode: number | null;
  signal: string | null;
  /** Why it did not start, or who stopped it. */
  reason: string | null;
  /** Someone asked it to stop before it ended. */
  stopRequested: boolean;
}

export type LifeEvent =
  | { type: "started" }
  | { type: "not_started"; reason: string }
  /** The program waits for a person to type, or no longer. */
  | { type: "waits" }
  | { type: "goes_on" }
  | { type: "stop_requested"; by: string }
  /** The leader is reaped and the pty drained. `signal` is a number, 0 for none. */
  | { type: "ended"; exitCode: number; signal: number };

export const BORN: Life = {
  status: "starting",
  exitCode: null,
  signal: null,
  reason: null,
  stopRequested: false,
};

export function hasEnded(life: Life): boolean {
  return ENDED_STATUSES.includes(life.status);
}

/**
 * What an event makes of a session. An ended one stays as it is.
 * @throws Error on an event that cannot happen there: a fault of ours
 */
export function nextLife(life: Life, event: LifeEvent): Life {
  if (hasEnded(life)) return life;
  switch (event.type) {
    case "started":
      if (life.status !== "starting") throw new Error(`a session that is ${life.status} cannot start`);
      return { ...life, status: "running" };
    case "not_started":
      if (life.status !== "starting")
        throw new Error(`a session that is ${life.status} cannot fail to start`);
      return { ...life, status: "failed_to_start", reason: event.reason };
    case "waits":
      return life.status === "running" ? { ...life, status: "waiting_input" } : life;
    case "goes_on":
      return life.status === "waiting_input" ? { ...life, status: "running" } : life;
    case "stop_requested":
      return life.stopRequested ? life : { ...life, stopRequested: true, reason: `stopped by ${event.by}` };
    case "ended":
      break;
  }
  return { ...life, ...endOf(event, life.stopRequested) };
}

function endOf(
  event: { exitCode: number; signal: number },
  stopRequested: boolean,
): Pick<Life, "status" | "exitCode" | "signal"> {
  const signalled = event.signal !== 0;
  return {
    status: stopRequested ? "stopped_by_user" : signalled ? "signalled" : "exited",
    exitCode: signalled ? null : event.exitCode,
    signal: signalled ? signalName(event.signal) : null,
  };
}

/** `SIGTERM` for 15; `SIG34` for a number without a name. */
export function signalName(number: number): string {
  const named = Object.entries(constants.signals).find(([, value]) => value === number);
  return named?.[0] ?? `SIG${number}`;
}
