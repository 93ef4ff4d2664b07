import { Cron } from "croner";
import { ApiError, messageOf } from "../errors.ts";

/**
 * When a cron expression (5 to 7 fields, or a nickname such as `@daily`) fires next after a time, ms since 1970. In UTC.
 * @throws ApiError invalid_argument that names `field` when it is none or never fires again
 */
export function nextFiringMs(expression: string, afterMs: number, field: string): number {
  let next: Date | null;
  try {
    next = new Cron(expression, { timezone: "UTC", paused: true }).nextRun(new Date(afterMs));
  } catch (error) {
    throw new ApiError("invalid_argument", `${field}: ${messageOf(error)}`, { cause: error });
  }
  if (next === null) throw new ApiError("invalid_argument", `${field}: never fires`);
  return next.getTime();
}
