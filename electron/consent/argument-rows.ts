import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ShownValue } from "../contract/consent.ts";
import { canonicalJson, CanonicalError } from "./canonical.ts";
import { shown } from "./visible.ts";

/** Canonical form of one call's arguments, or of all that one answer stands for, as a window can show it, in characters. */
export const MAX_ARGUMENT_CHARS = 512 * 1024;

/** Arguments that nobody was told in another form, each in canonical form: whatever a call is given has a row. */
export function argumentRows(
  args: Readonly<Record<string, unknown>>,
  told: readonly string[],
  before = "",
): ShownValue[] {
  return Object.entries(args)
    .filter(([name]) => !told.includes(name))
    .map(([name, value]) => shown(`${before}${name}`, canonicalJson(value)));
}

/** How long they are, in characters; or why nobody could be shown them in full: then nobody is asked about them. */
export function lengthToShow(args: Readonly<Record<string, unknown>>): number | ToolError {
  const tooMuch = (error: string): ToolError => ({
    error,
    code: "invalid_argument",
    reason: "arguments",
    retryable: false,
  });
  try {
    const chars = canonicalJson(args).length;
    return chars > MAX_ARGUMENT_CHARS ? tooMuch("arguments: too long to be shown to a person") : chars;
  } catch (cause) {
    if (cause instanceof CanonicalError) return tooMuch(`arguments: ${cause.message}`);
    throw cause;
  }
}
