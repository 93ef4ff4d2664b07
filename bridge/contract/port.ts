import * as z from "zod/v4";
import { SessionId, StopResponse, TERMINAL_LIMITS, TerminalSession, TerminalSize } from "./api.ts";

/**
 * Messages on the port between the bridge and one tab. A tab gets a replay of what is kept, then what comes; what becomes of
 * its session is told to main. It counts as hidden until it says that it is seen, and is sent no output then: whoever asked for
 * the port may be gone. A session has one tab: a second attach closes the first one's port.
 */
export const ToTab = z.discriminatedUnion("type", [
  /**
   * Output, each char to be acknowledged once it is parsed. `replay`: it was printed before the tab came, or while it was hidden,
   * so what it asks the terminal was answered by the bridge, or waits no more. `dropped_bytes`: so much before these chars is no
   * longer kept, so the terminal should be reset (a tab that cannot keep up with a flood, or a replay of a long session).
   */
  z.object({
    type: z.literal("data"),
    chars: z.string(),
    replay: z.boolean(),
    dropped_bytes: z.number().int().min(1).optional(),
  }),
  /** Nothing of an input of so many chars was typed: the program does not read, and too much waits for it already. */
  z.object({ type: z.literal("refused"), chars: z.number().int() }),
]);
export type ToTab = z.infer<typeof ToTab>;

export const FromTab = z.discriminatedUnion("type", [
  /** So many chars were parsed, of a replay or of what came live: what is old does not make room for what is new. */
  z.strictObject({ type: z.literal("ack"), chars: z.number().int().min(0), replay: z.boolean() }),
  /** What was typed or pasted at once: all of it is taken, or it is `refused`. A paste in pieces could lose some in its middle. */
  z.strictObject({ type: z.literal("input"), text: z.string().max(TERMINAL_LIMITS.waitingInputBytes) }),
  z.strictObject({ type: z.literal("resize"), size: TerminalSize }),
  z.strictObject({ type: z.literal("visible"), visible: z.boolean() }),
]);
export type FromTab = z.infer<typeof FromTab>;

/** `text`: what a person would read. `asciicast`: version 2, with the times at which output came and the sizes it was printed at. */
export const TranscriptFormat = z.enum(["text", "asciicast"]);
export type TranscriptFormat = z.infer<typeof TranscriptFormat>;

/** Counted by main. Whatever is done first is answered first, so an answer says which request it is for. */
const RequestId = z.number().int().min(1);
const request = { request_id: RequestId, session_id: SessionId };

/**
 * What main asks the bridge for. Each is answered once, with its number: by `attached`, `closed`, `stopped`, `restarted`,
 * `saved`, `renamed` or `command`, or by `failed`. `attach` brings one port with it.
 */
const BRIDGE_REQUESTS = [
  z.strictObject({ type: z.literal("attach"), ...request }),
  z.strictObject({ type: z.literal("close"), ...request }),
  /** `at_once`: nothing in it gets time to clean up. */
  z.strictObject({ type: z.literal("stop"), ...request, at_once: z.boolean().optional() }),
  /** Runs the same command once more, in a tab of its own. */
  z.strictObject({ type: z.literal("restart"), ...request }),
  /** Writes what is kept of the output to a file that the person chose. */
  z.strictObject({
    type: z.literal("save"),
    ...request,
    format: TranscriptFormat,
    path: z.string().min(1).max(4096),
  }),
  /** What the person calls the tab; "" takes the name away. */
  z.strictObject({
    type: z.literal("rename"),
    ...request,
    name: z.string().max(TERMINAL_LIMITS.nameChars),
  }),
  z.strictObject({ type: z.literal("show_command"), ...request }),
] as const;
export type BridgeRequest = z.infer<(typeof BRIDGE_REQUESTS)[number]>;

/**
 * Messages from main to the bridge process. Main brokers ports and never reads the bytes. After `shutdown` the bridge ends
 * its sessions and exits with code 0.
 */
export const ToBridge = z.discriminatedUnion("type", [
  ...BRIDGE_REQUESTS,
  /** All sessions of bridges that crashed whose tabs are still open, as they ended: who asks for one is told so. */
  z.strictObject({
    type: z.literal("lost"),
    sessions: z.array(TerminalSession).max(TERMINAL_LIMITS.sessions),
  }),
  z.strictObject({ type: z.literal("shutdown") }),
]);
export type ToBridge = z.infer<typeof ToBridge>;

const BRIDGE_ANSWERS = [
  /** False: there is no such session, or no port came with the message. */
  z.object({ type: z.literal("attached"), request_id: RequestId, attached: z.boolean() }),
  /** `response` is null when there is no such session. */
  z.object({ type: z.literal("stopped"), request_id: RequestId, response: StopResponse.nullable() }),
  /** Null: there is no such session, or no room. */
  z.object({ type: z.literal("restarted"), request_id: RequestId, started: SessionId.nullable() }),
  /** `problem` is null when the file is there. */
  z.object({ type: z.literal("saved"), request_id: RequestId, problem: z.string().nullable() }),
  /** False: there is no such session. */
  z.object({ type: z.literal("renamed"), request_id: RequestId, renamed: z.boolean() }),
  /** The whole command; null: there is no such session. */
  z.object({ type: z.literal("command"), request_id: RequestId, command: z.string().nullable() }),
  /**
   * Its processes are gone, its script and log too. False with `response`: some live on, and it stays; without: there is no
   * such session.
   */
  z.object({
    type: z.literal("closed"),
    request_id: RequestId,
    closed: z.boolean(),
    response: StopResponse.optional(),
  }),
  /** A fault of the bridge's: how far it came is not known. */
  z.object({ type: z.literal("failed"), request_id: RequestId, reason: z.string() }),
  /** Not an answer yet: `save` may have a gigabyte to write. */
  z.object({ type: z.literal("at_it"), request_id: RequestId }),
] as const;
export type BridgeAnswer = z.infer<(typeof BRIDGE_ANSWERS)[number]>;

export const FromBridge = z.discriminatedUnion("type", [
  /** `folder` holds scripts and logs; the bridge removes it at its end, whoever sees it die has to. */
  z.object({ type: z.literal("listening"), url: z.string(), folder: z.string() }),
  z.object({ type: z.literal("sessions"), sessions: z.array(TerminalSession) }),
  ...BRIDGE_ANSWERS,
  /**
   * A session's leader (its pid is also the number of its process group and session) started, or nothing of it is left. Main
   * hands it to the reaper. `start_time` is what loopback/processes.ts calls so.
   */
  z.object({
    type: z.literal("process"),
    event: z.enum(["started", "ended"]),
    pid: z.number().int(),
    start_time: z.string(),
  }),
  z.object({ type: z.literal("fatal"), reason: z.string() }),
]);
export type FromBridge = z.infer<typeof FromBridge>;
