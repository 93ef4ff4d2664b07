import * as z from "zod/v4";
import { ConnectionId } from "./connection.ts";
import { Permission } from "./tokens.ts";

/** "Test as an agent": main connects to an endpoint of ours as agents do, and tells what they see. */

export const ProbeEra = z.enum(["handshake", "2026-07-28"]);
export type ProbeEra = z.infer<typeof ProbeEra>;

export const ProbeId = z.string().regex(/^probe_[0-9a-f-]{36}$/, "is no id of a test");

export const ProbeStart = z.strictObject({
  connection: ConnectionId,
  permissions: z.array(Permission).min(1).max(16),
});

/** One HTTP message, or one event of a stream. Secrets are masked; a long text is cut and says so. */
export const ProbeFrame = z.object({
  era: ProbeEra,
  direction: z.enum(["sent", "received"]),
  /** Milliseconds since the test began. */
  at_ms: z.number(),
  /** `POST /mcp/local`, `200`, or `event` for a part of a stream. */
  head: z.string(),
  headers: z.record(z.string(), z.string()),
  text: z.string(),
});
export type ProbeFrame = z.infer<typeof ProbeFrame>;

/** A tool exactly as the era lists it. */
export const ProbeTool = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({}),
});
export type ProbeTool = z.infer<typeof ProbeTool>;

export const ProbeView = z.object({
  era: ProbeEra,
  /** The revision that was agreed on; absent when there was no agreement. */
  revision: z.string().optional(),
  server: z.string().optional(),
  /** Why there is nothing to see, in a sentence. */
  problem: z.string().optional(),
  tools: z.array(ProbeTool),
  connect_ms: z.number(),
  list_ms: z.number(),
});
export type ProbeView = z.infer<typeof ProbeView>;

export const Probe = z.object({
  id: ProbeId,
  url: z.string(),
  /** When its token ends by itself, RFC 3339. */
  expires_at: z.string(),
  views: z.array(ProbeView),
  frames: z.array(ProbeFrame),
});
export type Probe = z.infer<typeof Probe>;

export const ProbeCall = z.strictObject({
  probe: ProbeId,
  era: ProbeEra,
  tool: z.string().min(1).max(128),
  arguments: z.record(z.string(), z.unknown()),
});

/** What the era's client handed to its agent: a result, or the error in its place. */
export const ProbeOutcome = z.object({
  era: ProbeEra,
  result: z.unknown().optional(),
  problem: z.string().optional(),
  ms: z.number(),
  frames: z.array(ProbeFrame),
});
export type ProbeOutcome = z.infer<typeof ProbeOutcome>;
