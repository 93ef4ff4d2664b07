import * as z from "zod/v4";
import { SessionId, TerminalSession, TerminalSize } from "./api.ts";

/** Messages on the port between the bridge and one tab. The first thing a tab gets is a replay of what is kept. */
export const ToTab = z.discriminatedUnion("type", [
  z.object({ type: z.literal("data"), chars: z.string(), replay: z.boolean() }),
  z.object({ type: z.literal("session"), session: TerminalSession }),
]);
export type ToTab = z.infer<typeof ToTab>;

export const FromTab = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ack"), chars: z.number().int().min(0) }),
  z.strictObject({ type: z.literal("input"), text: z.string().max(65_536) }),
  z.strictObject({ type: z.literal("resize"), size: TerminalSize }),
  z.strictObject({ type: z.literal("visible"), visible: z.boolean() }),
]);
export type FromTab = z.infer<typeof FromTab>;

/** Messages between main and the bridge process. Main brokers ports and never reads the bytes. */
export const ToBridge = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("attach"), session_id: SessionId }),
  z.strictObject({ type: z.literal("close"), session_id: SessionId }),
  z.strictObject({ type: z.literal("stop"), session_id: SessionId }),
  z.strictObject({ type: z.literal("shutdown") }),
]);
export type ToBridge = z.infer<typeof ToBridge>;

export const FromBridge = z.discriminatedUnion("type", [
  z.object({ type: z.literal("listening"), url: z.string() }),
  z.object({ type: z.literal("sessions"), sessions: z.array(TerminalSession) }),
  /** A process group started or ended: main hands it to the reaper. */
  z.object({
    type: z.literal("process"),
    event: z.enum(["started", "ended"]),
    pid: z.number().int(),
    start_time: z.string(),
  }),
  z.object({ type: z.literal("fatal"), reason: z.string() }),
]);
export type FromBridge = z.infer<typeof FromBridge>;
