import * as z from "zod/v4";

/** Ids that the engine makes: a prefix, then letters, digits, `_` and `-` (engine contract, section 1.6). */
export const EventId = z.string().regex(/^evt_[A-Za-z0-9_-]+$/, "must look like evt_…");
export const RunId = z.string().regex(/^run_[A-Za-z0-9_-]+$/, "must look like run_…");

/**
 * Function ids are text chosen by the user. They become subject tokens, so no empty dotted segment, white space or
 * control character is allowed (section 1.6).
 */
export const FunctionId = z
  .string()
  .min(1)
  .max(256)
  .regex(
    /^[^\s\p{Cc}.]+(\.[^\s\p{Cc}.]+)*$/u,
    "must have no empty dotted segment, white space or control character",
  );

/** Event names may be dotted; they share the function id's rules for subject tokens. */
export const EventName = FunctionId;

/** RFC 3339 with a zone. The engine writes UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ offset: true });
