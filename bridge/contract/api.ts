import * as z from "zod/v4";

/**
 * The terminal bridge's HTTP API, on loopback behind a bearer token that is fresh per launch. All bodies are JSON.
 * `POST /v1/sessions`, `GET /v1/sessions`, `GET /v1/sessions/{id}/output?offset&limit&format&wait_for&text&wait_ms&reader`,
 * `POST /v1/sessions/{id}/stop`, `POST /v1/sessions/{id}/input`, `POST /v1/sessions/{id}/resize`.
 */
export const TERMINAL_LIMITS = {
  /**
   * Ended ones included. When a new one needs the room, one that has ended is closed: never one that is on screen, first what an
   * agent has read to its end or what printed nothing, of those what ended first. When none may be closed: 429.
   */
  sessions: 64,
  commandChars: 262_144,
  /** So much of a command is in lists and answers; a longer one ends in "…" there. */
  shownCommandChars: 4_096,
  environmentVariables: 512,
  readDefaultBytes: 65_536,
  readMaxBytes: 1_048_576,
  /** Of one session's output in memory, and of all sessions'. */
  logMemoryBytes: 8 * 1024 * 1024,
  allLogsMemoryBytes: 256 * 1024 * 1024,
  /** Of older output in a private file: of one session, and of all. What is older still is evicted. */
  logSpillBytes: 64 * 1024 * 1024,
  allLogsSpillBytes: 1024 * 1024 * 1024,
  /** So long a command waits for the person's start-up files; then it gets the environment of the app. */
  loginEnvironmentMs: 10_000,
  /** A read may wait for so long. */
  waitMaxMs: 55_000,
  waitTextChars: 1_024,
  /** Typed by one call. */
  inputChars: 65_536,
  /** Of input that may wait for a program which does not read. What does not fit is refused as a whole, never cut. */
  waitingInputBytes: 1_048_576,
  /** Of a tab, as the person names it. */
  nameChars: 80,
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
 * them null; both are null until the end and when it did not start. `reason` tells why it did not, or who stopped it. An ended session's output
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
  /** Of the leader, which is also the number of its process group and session. Not there when it did not start. */
  pid: z.number().int().optional(),
  /** What the person calls the tab; left out while they have not named it. */
  name: z.string().optional(),
  /** Length of the whole command, where `command` is only its beginning. */
  command_chars: z.number().int().optional(),
  /** How often the program has rung the bell; left out while it has not. */
  bells: z.number().int().optional(),
  /** When it was first seen that nothing of the session lives. */
  gone_at: z.string().optional(),
  /** It went with a bridge that crashed: of its output and its whole command nothing is kept, and it cannot be run again. */
  lost: z.literal(true).optional(),
  /** Main saw that, and not the bridge: the bridge was gone, and main ended what was left. */
  ended_by_app: z.literal(true).optional(),
});
export type TerminalSession = z.infer<typeof TerminalSession>;

export const RunResponse = TerminalSession;
export const ListResponse = z.object({ sessions: z.array(TerminalSession) });

/**
 * `raw`: the bytes as text. `text`: what a person would read, line by line: escape sequences resolved, redrawn lines shown
 * once, whatever the width of the tab. `screen`: what the terminal shows now; offset and limit do not matter.
 */
export const OutputFormat = z.enum(["raw", "text", "screen"]);
export type OutputFormat = z.infer<typeof OutputFormat>;

/**
 * `output`: something after `offset`; as `text`, where a line that is not finished has been told already, more of it, a
 * finished line, or that somebody has to type. `text`: the given text after `offset`. `exit`: the end of the command.
 */
export const WaitFor = z.enum(["output", "text", "exit"]);
export type WaitFor = z.infer<typeof WaitFor>;

export const OutputQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce
    .number()
    .int()
    .min(4)
    .max(TERMINAL_LIMITS.readMaxBytes)
    .default(TERMINAL_LIMITS.readDefaultBytes),
  format: OutputFormat.default("raw"),
  /** Answered at once when left out. */
  wait_for: WaitFor.optional(),
  /** For `wait_for=text`: the characters as the program prints them, from `offset` on, with its escape sequences or without. */
  text: z.string().min(1).max(TERMINAL_LIMITS.waitTextChars).optional(),
  wait_ms: z.coerce.number().int().min(0).max(TERMINAL_LIMITS.waitMaxMs).default(0),
  /** Who reads: what each was told of a line that is not finished is remembered, so that `wait_for=output` waits for more. */
  reader: z.string().max(128).default(""),
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
  /** `text` only: the line that is not finished yet. It is not in `output`; it comes there once it is. */
  unfinished_line: z.string().optional(),
  /** `screen` only: where the cursor is, from 0, and whether a full-screen program draws. */
  cursor: z.object({ row: z.number().int(), column: z.number().int() }).optional(),
  full_screen: z.boolean().optional(),
  /** How a wait ended: what was waited for came; it ended without it; the time was over. */
  waited: z.enum(["met", "ended", "time_over"]).optional(),
});
export type OutputResponse = z.infer<typeof OutputResponse>;

/** Typed into the terminal, as a keyboard would: Enter is `\r`. */
export const InputRequest = z.strictObject({ text: z.string().min(1).max(TERMINAL_LIMITS.inputChars) });
/** False: it has ended, or does not read and too much waits already. */
export const InputResponse = z.object({ session_id: SessionId, taken: z.boolean() });
export type InputResponse = z.infer<typeof InputResponse>;

export const ResizeRequest = TerminalSize;
export const ResizeResponse = z.object({ session_id: SessionId, size: TerminalSize });
export type ResizeResponse = z.infer<typeof ResizeResponse>;

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
