import { FLOW } from "../../bridge/contract/flow.ts";

/** Counts the chars (UTF-16 code units) that were parsed, and says when so many should be acknowledged. */
export function createAckCounter(everyChars: number = FLOW.ackEveryChars): (parsedChars: number) => number {
  let open = 0;
  return (parsedChars) => {
    open += parsedChars;
    if (open < everyChars) return 0;
    const acknowledged = open;
    open = 0;
    return acknowledged;
  };
}
