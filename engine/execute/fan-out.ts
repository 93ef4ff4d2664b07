import { ApiError } from "../errors.ts";
import { MAX_EVENT_STEPS } from "./expression-cost.ts";

/** Runs that the events of one request may start, wake, cancel or put off, together. About a quarter of a second. */
export const MAX_BATCH_FAN_OUT = 1_000;
/** What expressions may cost that look at the events of one request: twice what one event may. */
export const MAX_BATCH_STEPS = 2 * MAX_EVENT_STEPS;

/** Counts what the events of one request cause, for nothing else is done meanwhile. */
export interface FanOut {
  /** @throws ApiError resource_exhausted once it is too much: the change is undone as a whole */
  add(runs: number, expressionSteps: number): void;
}

/** Of an array of events in the named field. */
export function createFanOut(field: string): FanOut {
  let runs = 0;
  let steps = 0;
  return {
    add: (moreRuns, moreSteps) => {
      runs += moreRuns;
      steps += moreSteps;
      if (runs > MAX_BATCH_FAN_OUT) refuse(`reach more than ${MAX_BATCH_FAN_OUT} runs`);
      if (steps > MAX_BATCH_STEPS) refuse(`need more than ${MAX_BATCH_STEPS} steps of expressions`);
    },
  };

  function refuse(what: string): never {
    throw new ApiError("resource_exhausted", `${field}: together they ${what}: send fewer at once`);
  }
}
