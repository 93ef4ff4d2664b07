import * as z from "zod/v4";

export const ConnectionId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "lower-case letters, digits and dashes");

/**
 * One engine that the app is attached to. Two switches decide who may write: `person_may_write` for the person at the
 * app, `agents_may_write` for agents (whose token needs `mcp.write` too). Times in RFC 3339.
 */
export const Connection = z.object({
  id: ConnectionId,
  name: z.string(),
  kind: z.enum(["embedded", "remote"]),
  url: z.string(),
  state: z.enum(["starting", "connected", "unreachable", "unauthorized", "crashed"]),
  live: z.enum(["websocket", "polling", "none"]),
  person_may_write: z.boolean(),
  agents_may_write: z.boolean(),
  engine_version: z.string().optional(),
  since: z.string(),
  /** What went wrong, in a sentence, with the end of the child's stderr where there is one. */
  problem: z.string().optional(),
});
export type Connection = z.infer<typeof Connection>;
