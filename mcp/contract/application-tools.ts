/** How long a call of an application's tool may take, in ms. */
export const APPLICATION_TIMES = {
  /** Reply timeout of a tool that sets none. */
  replyMs: 30_000,
  /** The engine ends a call at the tool's own timeout and says why; that answer needs this long to get here. */
  wayMs: 2_000,
  /** The engine's hard limit (contract, section 2.13). */
  maxReplyMs: 120_000,
} as const;

/** How the text of every application's tool begins, so that nobody takes it for one of ours. */
export const APPLICATION_TOOL_PREFIX = "[Application tool ";
