import type * as z from "zod/v4";
import type { ToolError } from "./errors.ts";

/** Problems beyond this many say nothing new to whoever has to mend the call. */
const MAX_PROBLEMS = 8;
/** Longest piece of what the caller sent that is quoted back, in characters. */
const MAX_NAME_CHARS = 64;

/**
 * Arguments that do not fit a tool, as its error object: every problem is `arguments.<path>: …` and says what is allowed,
 * so that a model can mend the call without asking.
 */
export const argumentError = (tool: string, error: z.ZodError, schema: z.ZodObject): ToolError =>
  refusedArguments(
    tool,
    error.issues.flatMap((issue) => describe(issue, schema)),
  );

/** The same of problems that are in words already. */
export function refusedArguments(tool: string, problems: readonly string[]): ToolError {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const more = problems.length - shown.length;
  return {
    error: shown.join("; ") + (more > 0 ? `; and ${more} more` : ""),
    code: "invalid_argument",
    retryable: false,
    hint: `Nothing was done. Mend the arguments of ${tool} and call it again.`,
  };
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodObject): string[] {
  const at = pathText(issue.path);
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = issue.path.length === 0 ? Object.keys(schema.shape) : [];
      const takes = known.length === 0 ? "" : `; it takes ${known.join(", ")}`;
      return issue.keys.map(
        (key) => `${at}.${clip(key)}: is not an argument here${takes || "; it takes none"}`,
      );
    }
    case "invalid_type":
      return [
        `${at}: ${issue.input === undefined ? "is required and " : ""}must be ${article(issue.expected === "int" ? "whole number" : issue.expected)}`,
      ];
    case "invalid_value":
      return [`${at}: value must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`];
    case "too_small":
      return [
        `${at}: must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unit(issue.origin)}`,
      ];
    case "too_big":
      return [
        `${at}: must be ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${unit(issue.origin)}`,
      ];
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
    default:
      return [`${at}: ${issue.message}`];
  }
}

/** `["a", 0, "b"]` -> `arguments.a[0].b` */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${clip(String(key))}`),
    "arguments",
  );
}

export const clip = (name: string): string =>
  name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;

const unit = (origin: string): string =>
  origin === "string" ? " characters long" : origin === "array" ? " entries" : "";

export const article = (name: string): string => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`);
