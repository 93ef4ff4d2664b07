import type * as z from "zod/v4";
import { EngineError } from "./engine-error.ts";
import { parseWireJson } from "./wire-json.ts";

/**
 * Reads an engine's answer at the door.
 * @param what the call's name, for the error
 * @throws EngineError `data_loss` that names the first field that is not as the contract says
 */
export function readAnswer<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  what: string,
): z.output<Schema> {
  let value: unknown;
  try {
    value = parseWireJson(text);
  } catch (cause) {
    throw nonsense(`the engine's answer to ${what} is not JSON`, cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue === undefined ? [] : issue.path;
  const field = path.length === 0 ? "the whole answer" : path.map(String).join(".");
  throw nonsense(
    `the engine's answer to ${what} is not as it should be: ${field}: ${issue?.message ?? "unreadable"}`,
  );
}

function nonsense(message: string, cause?: unknown): EngineError {
  return new EngineError({
    code: "data_loss",
    message,
    retryable: false,
    hint: "Is this an Ironflow engine, and of a version that this tool server knows? ironflow_server_info shows the version.",
    cause,
  });
}
