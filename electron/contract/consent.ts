import * as z from "zod/v4";
import { Risk } from "../../mcp/contract/tool-row.ts";
import { TimeZoneChoice } from "./ipc.ts";

/**
 * The consent window's own door. A question is shown in full; main takes an answer only from this window's main frame,
 * for the question on top, `INERT_MS` after it was shown or focused, and only after a real input event there.
 */
export const INERT_MS = 800;
export const EXPIRES_MS = 300_000;

/** A value as it is shown: `text` has invisible, bidirectional and control characters made visible as ⟨U+200B⟩. */
export const ShownValue = z.object({
  label: z.string(),
  text: z.string(),
  altered: z.boolean(),
  /** An instant in RFC 3339: drawn in the person's form, with its zone, beside the text. */
  is: z.literal("time").optional(),
});
export type ShownValue = z.infer<typeof ShownValue>;

export const Question = z.object({
  question_id: z.string(),
  /** Place in the queue, from 1, and how many wait in all. */
  position: z.number().int(),
  waiting: z.number().int(),
  /** `command`: it runs something on this computer. */
  kind: z.enum(["tool", "command", "rights"]),
  title: z.string(),
  /** One plain sentence: what happens when the person approves. */
  consequence: z.string(),
  risk: Risk,
  tool: z.string().optional(),
  /** `caution`: why an answer seen here might not be the person's, where the caller could imitate one. */
  caller: z.object({ name: z.string(), claim: z.string().optional(), caution: z.string().optional() }),
  engine: z.object({ name: z.string(), url: z.string(), kind: z.enum(["embedded", "remote"]) }).optional(),
  /** The exact arguments in canonical form, one row per top-level name; those that `target` has in full are there only. */
  arguments: z.array(ShownValue),
  /** The target as main read it just now, and what goes with it. */
  target: z.array(ShownValue),
  /** Commands of the same caller that wait for this answer and run with a yes, each in full. More may come while it waits. */
  goes_with: z.array(ShownValue),
  effects: z.array(z.string()),
  not_reached: z.array(z.string()),
  asked_at: z.string(),
  expires_at: z.string(),
  /** Offered: the same tool then runs without a question for this caller on this engine. Never for what cannot be undone. */
  may_remember: z.boolean(),
  /** The zone in which the person wants times. */
  time_zone: TimeZoneChoice,
  /** True when the target changed after a first approval, and the person is asked anew. */
  asked_again: z.boolean(),
});
export type Question = z.infer<typeof Question>;

const none = z.strictObject({});

export const consentRequests = {
  "consent:current": { in: none, out: Question.nullable() },
  "consent:answer": {
    in: z.strictObject({
      question_id: z.string().max(64),
      answer: z.enum(["approve", "decline"]),
      remember: z.boolean().optional(),
    }),
    /** `taken: false` when main did not accept it, with the reason: too early, no input seen, not on top. */
    out: z.object({ taken: z.boolean(), reason: z.string().optional() }),
  },
} satisfies Record<string, { in: z.ZodType; out: z.ZodType }>;

export const consentEvents = {
  "consent:question": Question.nullable(),
} satisfies Record<string, z.ZodType>;

export type ConsentRequestName = keyof typeof consentRequests;
export type ConsentEventName = keyof typeof consentEvents;
export type ConsentHandlers = {
  [N in ConsentRequestName]: (
    argument: z.output<(typeof consentRequests)[N]["in"]>,
  ) => Promise<z.output<(typeof consentRequests)[N]["out"]>>;
};
