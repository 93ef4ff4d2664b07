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

/** What a trigger names: an event, or a pattern with `*` (one token) and `>` (the rest). */
export const EventPattern = FunctionId;

/**
 * Prefixes of topics (section 1.6): an event of such a name could not be told from another topic. `$stream.` is what the
 * engine itself puts into entity streams.
 */
const reserved = /^(events:|entity:|topic:|system\.|public\.|\$stream\.)/;

/**
 * The name of an event. The function id's rules, and no wildcard as a token, no reserved prefix and no invisible
 * character that changes how the name is shown.
 */
export const EventName = FunctionId.refine((name) => !/(^|\.)[*>](\.|$)/.test(name), "must hold no wildcard")
  .refine((name) => !reserved.test(name), "must not begin with a reserved prefix")
  .refine((name) => !/\p{Cf}/u.test(name), "must have no invisible character");

/** RFC 3339 with a zone. The engine writes UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ offset: true });
