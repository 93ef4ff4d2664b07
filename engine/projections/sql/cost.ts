import { ApiError } from "../../errors.ts";
import type { Token } from "./tokens.ts";

/**
 * Bounds what one event may cost: each of these may have to do with a text of the largest size. They are those of all
 * statements that run for the event, or of a table with its checks and indexes.
 */
const maxTokens = 2_000;
/** Functions and operators; `||` counts as two. */
const maxOperations = 200;
/** JSON is parsed anew each time. */
const maxJsonOperations = 20;

const operators: ReadonlySet<string> = new Set(["|", "+", "-", "*", "/", "%", "&", "~", "<", ">"]);

/** With characters to trim, they take the product of two lengths. */
const trims: ReadonlySet<string> = new Set(["trim", "ltrim", "rtrim"]);

/** @throws ApiError invalid_argument that names the field */
export function requireSmallCost(tokens: readonly Token[], field: string): void {
  const refuse = (reason: string) => new ApiError("invalid_argument", `${field}: ${reason}`);
  if (tokens.length > maxTokens) throw refuse(`more than ${maxTokens} words and signs`);
  let operations = 0;
  let json = 0;
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if ((token.kind === "word" || token.kind === "name") && isSign(next, "(")) {
      const name = token.value.toLowerCase();
      operations += 1;
      if (name.startsWith("json")) json += 1;
      if (trims.has(name) && hasSecondArgument(tokens, at + 1)) {
        throw refuse(`${token.text} takes one argument here`);
      }
    }
    if (token.kind !== "other" || !operators.has(token.text)) continue;
    operations += 1;
    if (token.text === ">" && isSign(tokens[at - 1], "-")) json += 1;
  }
  if (operations > maxOperations) throw refuse(`more than ${maxOperations} functions and operators`);
  if (json > maxJsonOperations)
    throw refuse(`more than ${maxJsonOperations} functions and operators of JSON`);
}

const isSign = (token: Token | undefined, sign: string): boolean =>
  token?.kind === "other" && token.text === sign;

/** Whether the list that begins with the parenthesis at `open` has a comma of its own. */
function hasSecondArgument(tokens: readonly Token[], open: number): boolean {
  let depth = 0;
  for (const token of tokens.slice(open)) {
    if (isSign(token, "(")) depth += 1;
    if (isSign(token, ")")) depth -= 1;
    if (depth === 0) return false;
    if (depth === 1 && isSign(token, ",")) return true;
  }
  return false;
}
