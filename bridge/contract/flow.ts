/**
 * Limits on what goes to a visible tab, in UTF-16 code units ("chars"), counted the same at both ends. The pty itself is
 * never paused. `ackEveryChars` stays below `sendBelowChars`, else a pause that drains on the boundary never ends.
 */
export const FLOW = { holdAboveChars: 100_000, sendBelowChars: 5_000, ackEveryChars: 2_500 } as const;
