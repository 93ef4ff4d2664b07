import { parseExactJson } from "../../loopback/exact-json.ts";
import { ExpressionError } from "./expression.ts";
import { MAX_EVENT_STEPS, type Budget } from "./expression-cost.ts";
import { eventScope } from "./match.ts";

/** Expressions read events up to this size: it bounds how long one evaluation may take. */
export const MAX_EXPRESSION_EVENT_CHARS = 262_144;

/** An event as paths and expressions see it, parsed once and only when somebody looks. */
export interface EventView {
  /** Without lost digits, for comparing. */
  exact(): Record<string, unknown>;
  /** As plain numbers, for CEL. @throws ExpressionError for an event that is too large */
  plain(): Record<string, unknown>;
  /** What all expressions that look at the event may still cost. */
  budget: Budget;
}

export function viewEvent(event: Parameters<typeof eventScope>[0]): EventView {
  let exact: Record<string, unknown> | undefined;
  let plain: Record<string, unknown> | undefined;
  return {
    budget: { left: MAX_EVENT_STEPS },
    exact: () => (exact ??= eventScope(event, parseExactJson)),
    plain: () => {
      if (event.data.length + (event.metadata?.length ?? 0) > MAX_EXPRESSION_EVENT_CHARS) {
        throw new ExpressionError(`the event is over ${MAX_EXPRESSION_EVENT_CHARS} characters`);
      }
      if (plain === undefined) {
        const root = eventScope(event, (text) => JSON.parse(text) as unknown);
        plain = { ...root, event: root };
      }
      return plain;
    },
  };
}
