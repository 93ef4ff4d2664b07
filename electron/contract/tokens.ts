import * as z from "zod/v4";

export const Permission = z
  .string()
  .regex(/^(\*|mcp\.(\*|[a-z0-9_.]+))$/, "one of mcp.call, mcp.write, mcp.terminal, mcp.*, *");

export const TokenName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/, "1 to 64 letters, digits, spaces, dots, dashes, underscores")
  .refine((name) => name.toLowerCase() !== "user", "is the name of the person at the app");

/** A token as pages show it. The token itself is shown once, when it is made; only its hash is kept. */
export const TokenInfo = z.object({
  name: z.string(),
  permissions: z.array(Permission),
  created_at: z.string(),
  last_used_at: z.string().optional(),
  /** What the client last said of itself: a claim, never an identity. */
  client_claim: z.string().optional(),
});
export type TokenInfo = z.infer<typeof TokenInfo>;

/** Everything a person pastes into an agent's configuration. `token` is in memory only, for this one answer. */
export const NewToken = z.object({
  info: TokenInfo,
  token: z.string(),
  url: z.string(),
  snippets: z.array(z.object({ title: z.string(), language: z.enum(["shell", "json"]), text: z.string() })),
});
export type NewToken = z.infer<typeof NewToken>;
