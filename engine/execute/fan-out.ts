import { ApiError } from "../errors.ts";
import { MAX_EVENT_STEPS } from "./expression-cost.ts";

/** Runs that the events of one request may start, wake, cancel or put off, together. */
export const MAX_BATCH_FAN_OUT = 1_000;
/** What expressions may cost that look at the events of one request: twice what one event may. */
export const MAX_BATCH_STEPS = 2 * MAX_EVENT_STEPS;
/** Runs that are started, woken, cancelled or put off in one change, for the process answers nothing else meanwhile. */
export const MAX_RUNS_PER_CHANGE = 100;

/** Counts what the events of one change cause. */
export interface FanOut {
  /** @throws ApiError resource_exhausted once it is too much: the change is undone as a whole */
  add(runs: number, expressionSteps: number): void;
  /** Whether so many more runs can be reached in this change. Once they cannot, no others are: events keep their order. */
  fits(runs: number): boolean;
}

/** @param batchField the field that holds the events of a batch, which is bounded as a whole; one event alone is not */
export function createFanOut(batchField?: string): FanOut {
  let runs = 0;
  let steps = 0;
  let room = MAX_RUNS_PER_CHANGE;
  return {
    add: (moreRuns, moreSteps) => {
      runs += moreRuns;
      steps += moreSteps;
      if (batchField === undefined) return;
      if (runs > MAX_BATCH_FAN_OUT) refuse(batchField, `reach more than ${MAX_BATCH_FAN_OUT} runs`);
      if (steps > MAX_BATCH_STEPS)
        refuse(batchField, `need more than ${MAX_BATCH_STEPS} steps of expressions`);
    },
    fits: (wanted) => {
      if (wanted === 0) return true;
      const fitting = wanted <= room;
      room = fitting ? room - wanted : 0;
      return fitting;
    },
  };
}

function refuse(field: string, what: string): never {
  throw new ApiError("resource_exhausted", `${field}: together they ${what}: send fewer at once`);
}
