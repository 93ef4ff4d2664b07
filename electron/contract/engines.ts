import * as z from "zod/v4";
import { Connection, ConnectionId } from "./connection.ts";
import { madeVisible } from "./visible.ts";

/**
 * What the person calls an engine. It is on screen wherever they decide, so nothing in it is invisible or passes for another
 * letter. Letters are kept composed: systems differ in how they type `ü`.
 */
export const EngineName = z
  .string()
  .trim()
  .normalize("NFC")
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._()-]{0,39}$/u,
    "1 to 40 letters, digits, spaces, dots, dashes, underscores, brackets",
  )
  .refine((name) => madeVisible(name) === name, "of letters that can be seen and do not pass for others");

/**
 * What is wrong with an engine's address, or undefined: plain http(s), and nothing in it that is a secret or is lost on
 * the way.
 */
export function addressProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return "must be an http or https address, for example http://127.0.0.1:9123";
  if (url.username !== "" || url.password !== "") return "must not hold a user or a password";
  if (url.search !== "" || url.hash !== "") return "must end before ? and #";
  return undefined;
}

/** An address in the one form in which it is kept and compared: without a slash at its end. */
export const EngineAddress = z
  .string()
  .trim()
  .max(2_048)
  .superRefine((text, context) => {
    const problem = addressProblem(text);
    if (problem !== undefined) context.addIssue(problem);
  })
  .transform((text) => new URL(text).href.replace(/\/+$/, ""));

/** A key as a header carries it. It crosses from the page to main once and never comes back. */
export const EngineKey = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, "printable signs without spaces");

/**
 * An engine that the window can show. `key`: whether there is one and where it is kept; `needed`: there was one that could
 * not be kept over a restart. `shown`: pages and agents are on this one now.
 */
export const EngineInfo = z.object({
  id: ConnectionId,
  name: z.string(),
  kind: z.enum(["embedded", "remote"]),
  url: z.string(),
  key: z.enum(["none", "kept", "this_run", "needed"]),
  shown: z.boolean(),
  /** False for the embedded engine and for the one that a flag of this launch named: neither is added nor removed. */
  saved: z.boolean(),
  person_may_write: z.boolean(),
  agents_may_write: z.boolean(),
});
export type EngineInfo = z.infer<typeof EngineInfo>;

export const NewEngine = z.strictObject({
  name: EngineName,
  url: EngineAddress,
  api_key: EngineKey.optional(),
  person_may_write: z.boolean(),
});
export type NewEngine = z.output<typeof NewEngine>;

/** What came of asking an engine for itself, as the app asks it. */
export const EngineTest = z.object({
  state: Connection.shape.state,
  engine_version: z.string().optional(),
  problem: z.string().optional(),
  ms: z.number(),
});
export type EngineTest = z.infer<typeof EngineTest>;
