import * as z from "zod/v4";

/**
 * What changed in the engine, as the tool server tells the app: one `notifications/resources/updated` per topic, at most
 * one in `COALESCE_MS`, for the resource `ironbridge://changes/<topic>`. It says that, not what: the app reads again.
 */
export const LiveTopic = z.enum(["runs", "events", "functions", "breakers", "dead_letters"]);
export type LiveTopic = z.infer<typeof LiveTopic>;

export const COALESCE_MS = 250;

const PREFIX = "ironbridge://changes/";

export const liveUri = (topic: LiveTopic): string => PREFIX + topic;

/** The topic of such an address, or undefined for any other resource. */
export function liveTopic(uri: string): LiveTopic | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  return LiveTopic.safeParse(uri.slice(PREFIX.length)).data;
}

/** Read as the resource `ironbridge://connection`: whether the engine answers, and how changes are heard of. */
export const CONNECTION_URI = "ironbridge://connection";
export const EngineConnection = z.object({
  state: z.enum(["connecting", "connected", "unreachable", "unauthorized"]),
  live: z.enum(["websocket", "polling", "none"]),
  url: z.string(),
  version: z.string().optional(),
  since: z.string(),
  error: z.string().optional(),
});
export type EngineConnection = z.infer<typeof EngineConnection>;
