/** What a status means to a person: a tone (its colour), an icon's name and a word. Never colour alone. */
export type Tone = "good" | "busy" | "bad" | "warn" | "wait" | "idle";
export type StatusIcon =
  | "check"
  | "cross"
  | "running"
  | "paused"
  | "queued"
  | "waiting"
  | "sleeping"
  | "stopped"
  | "retrying"
  | "timed-out"
  | "keyboard"
  | "shield-open"
  | "shield-half"
  | "shield-closed"
  | "unknown";
export type StatusLook = { readonly tone: Tone; readonly icon: StatusIcon; readonly word: string };

const look = (tone: Tone, icon: StatusIcon, word: string): StatusLook => ({ tone, icon, word });

const LOOKS = {
  run: {
    running: look("busy", "running", "Running"),
    completed: look("good", "check", "Completed"),
    failed: look("bad", "cross", "Failed"),
    cancelled: look("idle", "stopped", "Cancelled"),
    paused: look("warn", "paused", "Paused"),
    waiting: look("wait", "waiting", "Waiting"),
    waiting_for_capacity: look("wait", "queued", "Queued"),
  },
  step: {
    pending: look("idle", "queued", "Pending"),
    running: look("busy", "running", "Running"),
    completed: look("good", "check", "Completed"),
    failed: look("bad", "cross", "Failed"),
    sleeping: look("wait", "sleeping", "Sleeping"),
    waiting: look("wait", "waiting", "Waiting"),
    timed_out: look("bad", "timed-out", "Timed out"),
    retrying: look("warn", "retrying", "Retrying"),
    dead: look("bad", "cross", "Gave up"),
  },
  breaker: {
    closed: look("good", "shield-closed", "Closed"),
    open: look("bad", "shield-open", "Open"),
    "half-open": look("warn", "shield-half", "Half-open"),
  },
  terminal: {
    starting: look("wait", "queued", "Starting"),
    running: look("busy", "running", "Running"),
    waiting_input: look("warn", "keyboard", "Waiting for input"),
    exited: look("good", "check", "Exited"),
    signalled: look("bad", "cross", "Ended by signal"),
    stopped_by_user: look("idle", "stopped", "Stopped"),
    failed_to_start: look("bad", "cross", "Did not start"),
  },
  function: {
    active: look("good", "check", "Active"),
    paused: look("warn", "paused", "Paused"),
    archived: look("idle", "stopped", "Archived"),
  },
} satisfies Record<string, Record<string, StatusLook>>;

export type StatusKind = keyof typeof LOOKS;

/** The statuses that are known, in the order in which they are offered. */
export const statusesOf = (kind: StatusKind): readonly string[] => Object.keys(LOOKS[kind]);

/** A word that a newer engine invented is shown as it is. */
export function statusLook(kind: StatusKind, status: string): StatusLook {
  const known: Record<string, StatusLook> = LOOKS[kind];
  return known[status] ?? look("idle", "unknown", status.replaceAll("_", " "));
}
