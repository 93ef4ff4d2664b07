/**
 * Limits on what goes to a visible tab, in UTF-16 code units ("chars"), counted the same at both ends. The pty itself is
 * never paused. `ackEveryChars` stays below `sendBelowChars`, else a pause that drains on the boundary never ends.
 */
export const FLOW = { holdAboveChars: 524_288, sendBelowChars: 393_216, ackEveryChars: 131_072 } as const;
