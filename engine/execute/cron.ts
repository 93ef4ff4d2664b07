import { Cron } from "croner";
import { ApiError, messageOf } from "../errors.ts";

/**
 * When a cron expression (5 to 7 fields, or a nickname such as `@daily`) fires next after a time, ms since 1970. In UTC.
 * @throws ApiError invalid_argument that names `field` when it is none or never fires again
 */
export function nextFiringMs(expression: string, afterMs: number, field: string): number {
  let next: number | undefined;
  try {
    next = laterFiringMs(expression, afterMs);
  } catch (error) {
    throw new ApiError("invalid_argument", `${field}: ${messageOf(error)}`, { cause: error });
  }
  if (next === undefined) throw new ApiError("invalid_argument", `${field}: never fires`);
  return next;
}

/** The same for an expression that was checked before; undefined when it never fires again, as one that names a year. */
export function laterFiringMs(expression: string, afterMs: number): number | undefined {
  return new Cron(expression, { timezone: "UTC", paused: true }).nextRun(new Date(afterMs))?.getTime();
}
