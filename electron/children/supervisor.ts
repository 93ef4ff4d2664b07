import type { Clock } from "../../loopback/clock.ts";
import { logError, sentenceOf } from "../log.ts";

/** A child that has come up. */
export interface Running<T> {
  readonly value: T;
  /** Resolves, never rejects, once the child is gone, with a sentence about its end. */
  readonly ended: Promise<string>;
  /** Ends it by the stop ladder; resolves once it is gone. */
  readonly stop: () => Promise<void>;
}

export type ChildState<T> =
  /** `problem` is what ended it before, while it waits for a restart. */
  | { readonly name: "starting"; readonly problem?: string }
  | { readonly name: "running"; readonly value: T }
  | { readonly name: "crashed"; readonly problem: string }
  | { readonly name: "stopped" };

export interface SuperviseOptions<T> {
  /** Starts the child and resolves once it answers. When the signal aborts, it ends what it began and rejects. */
  start(signal: AbortSignal): Promise<Running<T>>;
  onState(state: ChildState<T>): void;
  clock: Clock;
}

export interface Supervised<T> {
  readonly state: ChildState<T>;
  /** Starts it anew: at once when it has crashed, after ending it when it runs. */
  restart(): void;
  /** Ends it for good; resolves once it is gone. */
  readonly stop: () => Promise<void>;
}

/** Waits before the first, second and third restart. After that it is shown as crashed. */
export const RESTART_AFTER_MS = [250, 1_000, 4_000] as const;
/** A child that ran this long starts with all its restarts again. */
export const STEADY_AFTER_MS = 60_000;

/** Keeps a child running: restarts it three times when it ends by itself, then says so and waits for a person. */
export function supervise<T>(options: SuperviseOptions<T>): Supervised<T> {
  const { clock } = options;
  const stopping = new AbortController();
  let state: ChildState<T> = { name: "starting" };
  let running: Running<T> | undefined;
  let restarts = 0;
  /** Its end was asked for, to start it anew: that is no crash. */
  let anew = false;
  /** Ends the wait for the next start; undefined while nothing waits. */
  let wake: AbortController | undefined;

  const set = (next: ChildState<T>) => {
    state = next;
    options.onState(next);
  };

  /** One life of the child. Resolves with what ended it. */
  async function live(): Promise<string> {
    set({ name: "starting" });
    try {
      running = await options.start(stopping.signal);
    } catch (cause) {
      return sentenceOf(cause);
    }
    if (stopping.signal.aborted) await running.stop(); // it came up while it was no longer wanted
    else if (anew) await endToRestart(running);
    const sinceMs = clock.nowMs();
    if (!anew) set({ name: "running", value: running.value });
    const end = await running.ended;
    running = undefined;
    if (clock.nowMs() - sinceMs >= STEADY_AFTER_MS) restarts = 0;
    return end;
  }

  /** Never rejects: a child that cannot be ended goes on as it is. */
  async function endToRestart(child: Running<T>): Promise<void> {
    try {
      await child.stop();
    } catch (cause) {
      anew = false;
      logError("supervisor", "a child that was to be restarted goes on running", cause);
    }
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const problem = await live();
      if (stopping.signal.aborted) break;
      if (anew) {
        anew = false;
        continue;
      }
      const waitMs = RESTART_AFTER_MS[restarts];
      restarts += 1;
      set(waitMs === undefined ? { name: "crashed", problem } : { name: "starting", problem });
      wake = new AbortController();
      await clock.sleep(waitMs ?? FOREVER_MS, wake.signal);
      wake = undefined;
    }
    set({ name: "stopped" });
  }

  const over = keepRunning();
  return {
    get state() {
      return state;
    },
    restart() {
      restarts = 0;
      if (wake !== undefined) {
        wake.abort();
        return;
      }
      anew = true; // also while it comes up: what it began with may no longer hold
      if (running !== undefined) void endToRestart(running);
    },
    async stop() {
      stopping.abort();
      wake?.abort();
      await running?.stop();
      await over;
    },
  };
}

/** The longest a timer can wait (2^31 - 1 ms, 24 days); a wait that is woken, not one that ends. */
const FOREVER_MS = 2_147_483_647;
