import * as z from "zod/v4";

/**
 * The terminal bridge's HTTP API, on loopback behind a bearer token that is fresh per launch. All bodies are JSON.
 * `POST /v1/sessions`, `GET /v1/sessions`, `GET /v1/sessions/{id}/output?offset&limit`, `POST /v1/sessions/{id}/stop`.
 */
export const TERMINAL_LIMITS = {
  /** Ended ones included; when a new one needs the room, the one that ended first is closed. All running: 429. */
  sessions: 64,
  commandChars: 262_144,
  /** So much of a command is in lists and answers; a longer one ends in "…" there. */
  shownCommandChars: 4_096,
  environmentVariables: 512,
  readDefaultBytes: 65_536,
  readMaxBytes: 1_048_576,
  logMemoryBytes: 8 * 1024 * 1024,
} as const;

export const TerminalStatus = z.enum([
  "starting",
  "running",
  "waiting_input",
  "exited",
  "signalled",
  "stopped_by_user",
  "failed_to_start",
]);
export type TerminalStatus = z.infer<typeof TerminalStatus>;

export const ENDED_STATUSES: readonly TerminalStatus[] = [
  "exited",
  "signalled",
  "stopped_by_user",
  "failed_to_start",
];

export const SessionId = z.string().regex(/^term_[A-Za-z0-9_-]{8,64}$/, "must look like term_…");

/** Size of a terminal in cells. */
export const TerminalSize = z.strictObject({
  cols: z.number().int().min(2).max(1000),
  rows: z.number().int().min(1).max(500),
});
export type TerminalSize = z.infer<typeof TerminalSize>;

/** The system ends a text at the first zero character. */
const SystemText = z.string().refine((text) => !text.includes("\0"), "must not have a zero character");

const VariableName = z
  .string()
  .max(256)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be letters, digits and underscores, not a digit first")
  .refine((name) => !name.startsWith("IRONBRIDGE_"), "names that begin with IRONBRIDGE_ are reserved");

export const RunRequest = z.strictObject({
  /** The text of a script. It arrives in the shell exactly as it is here, in UTF-8. */
  command: z
    .string()
    .min(1)
    .max(TERMINAL_LIMITS.commandChars)
    .refine(
      (text) => !text.includes("\0"),
      "must not have a zero character: shells take a script with one for a program",
    )
    .refine(
      (text) => !/\p{Surrogate}/u.test(text),
      "must not have half a surrogate pair: it has no UTF-8 form",
    ),
  /** Who runs it, as the tab shows it: the token's name. */
  agent: z.string().min(1).max(128),
  /** Absolute; default: the person's home. One that does not exist gives a session that is `failed_to_start`. */
  cwd: SystemText.max(4096).optional(),
  /** A path, or a name to look up in PATH; default: the person's shell. Unknown: `failed_to_start`. */
  shell: SystemText.max(4096).optional(),
  /** Set on top of the login shell's environment. */
  env: z
    .record(VariableName, SystemText.max(65_536))
    .refine(
      (env) => Object.keys(env).length <= TERMINAL_LIMITS.environmentVariables,
      `must not have more than ${TERMINAL_LIMITS.environmentVariables} variables`,
    )
    .optional(),
  size: TerminalSize.optional(),
});
export type RunRequest = z.infer<typeof RunRequest>;

/**
 * One session as lists and answers show it. Times in RFC 3339. `exit_code` and `signal` are the operating system's, one of
 * them null; both are null until the end and when it did not start, of which `reason` tells why. An ended session's output
 * is complete.
 */
export const TerminalSession = z.object({
  session_id: SessionId,
  agent: z.string(),
  command: z.string(),
  shell: z.string(),
  cwd: z.string(),
  status: TerminalStatus,
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  output_bytes: z.number().int(),
  /** Processes of the session that live on after its leader ended, as last counted. */
  left_behind: z.number().int(),
  size: TerminalSize,
});
export type TerminalSession = z.infer<typeof TerminalSession>;

export const RunResponse = TerminalSession;
export const ListResponse = z.object({ sessions: z.array(TerminalSession) });

export const OutputQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce
    .number()
    .int()
    .min(4)
    .max(TERMINAL_LIMITS.readMaxBytes)
    .default(TERMINAL_LIMITS.readDefaultBytes),
});
export type OutputQuery = z.infer<typeof OutputQuery>;

/**
 * Output from a byte offset. Offsets are absolute and never move. `output` never ends in half a UTF-8 character while
 * more can come; `dropped` counts the bytes between the asked offset and the oldest byte still kept.
 */
export const OutputResponse = z.object({
  session_id: SessionId,
  output: z.string(),
  offset: z.number().int(),
  next: z.number().int(),
  has_more: z.boolean(),
  dropped: z.number().int(),
  status: TerminalStatus,
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable(),
});
export type OutputResponse = z.infer<typeof OutputResponse>;

/** What Stop saw. `alive` counts processes that could not be proved gone. */
export const StopResponse = z.object({
  session_id: SessionId,
  outcome: z.enum(["already_ended", "after_int", "after_term", "after_kill", "not_confirmed"]),
  alive: z.number().int(),
});
export type StopResponse = z.infer<typeof StopResponse>;

/** Body of every answer that is not 2xx. `error` is one sentence that names the field, if it is about one. */
export const BridgeError = z.object({ error: z.string(), code: z.string() });
export type BridgeError = z.infer<typeof BridgeError>;
