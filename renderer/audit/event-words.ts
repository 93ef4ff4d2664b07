/** What each event of the audit means. The event's own name stays at hand: filters, the file and agents use it. */
const WORDS: Readonly<Record<string, string>> = {
  "mcp.call": "Call begun",
  "mcp.result": "Call ended",
  "mcp.refused": "Call refused",
  "consent.asked": "You were asked",
  "consent.approved": "You approved",
  "consent.remembered": "Approval remembered",
  "consent.declined": "You declined",
  "consent.not_answered": "Closed unanswered",
  "consent.expired": "Nobody answered",
  "consent.caller_gone": "Caller gave up",
  "consent.target_changed": "Target had changed",
  "consent.app_closed": "App was closed",
  "engine.added": "Engine added",
  "engine.shown": "Went to an engine",
  "engine.renamed": "Engine renamed",
  "engine.key_changed": "Engine's key changed",
  "engine.removed": "Engine removed",
  "panic.on": "Everything stopped",
  "panic.off": "Agents act again",
};

/** An event in plain words; one that is not known (a newer version wrote it), as it is. */
export const eventWords = (event: string): string =>
  (Object.hasOwn(WORDS, event) ? WORDS[event] : undefined) ?? event;
