import type * as z from "zod/v4";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { ToolFailure } from "./tool-failure.ts";

/**
 * Reads an answer at the door.
 * @param what whose answer and to which call, for the error: `the engine's answer to ListRuns`
 * @throws ToolFailure `data_loss` that names the first field that is not as the contract says
 */
export function readAnswer<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  what: string,
): z.output<Schema> {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw nonsense(`${what} is not JSON`, cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue === undefined ? [] : issue.path;
  const field = path.length === 0 ? "the whole answer" : path.map(String).join(".");
  throw nonsense(`${what} is not as it should be: ${field}: ${issue?.message ?? "unreadable"}`);
}

function nonsense(message: string, cause?: unknown): ToolFailure {
  return new ToolFailure({
    code: "data_loss",
    message,
    retryable: false,
    hint: "Is the address right, and is the version there one that is known here?",
    cause,
  });
}
