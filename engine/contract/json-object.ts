import * as z from "zod/v4";

/**
 * An object whose inside is a caller's own JSON, taken as it came. Not a `z.record`, which copies it and leaves a member
 * named `__proto__` out.
 */
export const jsonObject = (message = "must be an object") =>
  z.custom<Record<string, unknown>>(
    (value) =>
      typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype,
    message,
  );
