import * as z from "zod/v4";

export const Permission = z
  .string()
  .regex(
    /^(\*|mcp\.(\*|[a-z0-9_.]+))$/,
    "one of mcp.call, mcp.write, mcp.terminal, mcp.audit, mcp.*, *, or one of your own: mcp.name",
  );

/** At most so many calls in a window of so many seconds, which begins with the first call. */
export const RateLimit = z.strictObject({
  calls: z.number().int().min(1).max(1_000_000),
  per_s: z.number().int().min(1).max(86_400),
});
export type RateLimit = z.infer<typeof RateLimit>;

/** Whether an agent's commands are asked about: each one, the first of each start of the app (the default), or none. */
export const TerminalPolicy = z.enum(["each", "once", "allow"]);
export type TerminalPolicy = z.infer<typeof TerminalPolicy>;

export const TokenName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/, "1 to 64 letters, digits, spaces, dots, dashes, underscores")
  .refine((name) => name.toLowerCase() !== "user", "is the name of the person at the app");

/** A token as pages show it. The token itself is shown once, when it is made; only its hash is kept. */
export const TokenInfo = z.object({
  name: z.string(),
  permissions: z.array(Permission),
  /** None: as many calls as it likes. */
  rate_limit: RateLimit.optional(),
  /** `once` when it is not there. */
  terminal_policy: TerminalPolicy.optional(),
  created_at: z.string(),
  last_used_at: z.string().optional(),
  /** What the client last said of itself: a claim, never an identity. */
  client_claim: z.string().optional(),
});
export type TokenInfo = z.infer<typeof TokenInfo>;

/** The token of this start that lies in a file for scripts of the same person: not made in the app, gone with it. */
export const LocalTokenInfo = z.object({
  name: z.string(),
  permissions: z.array(Permission),
  /** Absolute path of the file that holds it. */
  file: z.string(),
});
export type LocalTokenInfo = z.infer<typeof LocalTokenInfo>;

/** Everything a person pastes into an agent's configuration. `token` is in memory only, for this one answer. */
export const NewToken = z.object({
  info: TokenInfo,
  token: z.string(),
  url: z.string(),
  snippets: z.array(z.object({ title: z.string(), language: z.enum(["shell", "json"]), text: z.string() })),
});
export type NewToken = z.infer<typeof NewToken>;

/** What a person changes about a token: what is left out stays. `rate_limit: null` takes the limit away. */
export const TokenChange = z.strictObject({
  name: z.string().min(1).max(64),
  permissions: z.array(Permission).min(1).max(32).optional(),
  rate_limit: RateLimit.nullable().optional(),
  terminal_policy: TerminalPolicy.optional(),
});
export type TokenChange = z.infer<typeof TokenChange>;

/** A permission that a tool needs beside its own: who has it not does not see the tool. Made up by the person. */
export const ExtraPermission = z
  .string()
  .regex(/^mcp\.[a-z0-9_]+(\.[a-z0-9_]+)*$/, "mcp. and a name of small letters, digits, _ and dots")
  .max(64);

/** The extra permissions by tool. */
export const ExtraPermissions = z.record(z.string(), ExtraPermission);
export type ExtraPermissions = z.infer<typeof ExtraPermissions>;

/** A destructive tool that runs without a question from now on, for one token on one engine. */
export const RememberedAnswer = z.object({
  id: z.string(),
  caller: z.string(),
  tool: z.string(),
  /** `embedded`, or the engine's address. */
  engine: z.string(),
  since: z.string(),
});
export type RememberedAnswer = z.infer<typeof RememberedAnswer>;
