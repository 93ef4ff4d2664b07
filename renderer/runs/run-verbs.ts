/** What may be done to a run in a state. The engine has the last word; a button that cannot work is not offered. */
export type Verb = "resume" | "cancel" | "delete";

const VERBS: Record<string, readonly Verb[]> = {
  running: ["cancel"],
  waiting: ["cancel"],
  waiting_for_capacity: ["cancel"],
  paused: ["resume", "cancel"],
  failed: ["resume", "delete"],
  completed: ["delete"],
  cancelled: ["delete"],
};

/** A status that a newer engine invented offers what can be undone or does no harm. */
export const verbsOf = (status: string): readonly Verb[] => VERBS[status] ?? ["cancel"];
