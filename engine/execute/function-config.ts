import { fromWireEnum } from "../contract/enums.ts";
import type { Trigger } from "../contract/functions.ts";
import type { RegisterFunctionRequest } from "../contract/register.ts";
import { ApiError } from "../errors.ts";
import { nextFiringMs } from "./cron.ts";
import { compileExpression } from "./expression.ts";
import { compileKey } from "./key.ts";
import { parseMatch } from "./match.ts";
import { isPattern } from "./pattern.ts";

/** What a function was registered with. Stored as JSON; two equal texts are the same version. */
export type FunctionConfig = Omit<RegisterFunctionRequest, "id" | "changeReason" | "preferredMode"> & {
  preferredMode: "push" | "pull";
};

/** Nothing, "" and UNSPECIFIED mean push. */
function mode(text: string | undefined): string {
  const word = fromWireEnum("mode", text ?? "");
  return word === "" || word === "unspecified" ? "push" : word;
}

function checkEndpoint(text: string | undefined): string {
  if (text === undefined || text === "")
    throw new ApiError("invalid_argument", "endpointUrl: is required in push mode");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ApiError("invalid_argument", "endpointUrl: is not a URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ApiError("invalid_argument", "endpointUrl: must be http or https");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ApiError("invalid_argument", "endpointUrl: must not hold a user name or password");
  }
  return text;
}

/**
 * Checks what a schema cannot: mode, endpoint, expressions.
 * @throws ApiError that names the field
 */
export function toFunctionConfig(request: RegisterFunctionRequest): FunctionConfig {
  const wanted = mode(request.preferredMode);
  if (wanted !== "push" && wanted !== "pull") {
    throw new ApiError("invalid_argument", "preferredMode: must be push or pull");
  }
  for (const [index, trigger] of (request.triggers ?? []).entries()) {
    checkTrigger(trigger, `triggers[${index}]`);
  }
  for (const [index, cancel] of (request.cancelOn ?? []).entries()) {
    if (isPattern(cancel.event)) {
      throw new ApiError("invalid_argument", `cancelOn[${index}].event: must be an exact event name`);
    }
    const match = parseMatch(cancel.match);
    if (match.grammar === "cel") compileExpression(match.expression, `cancelOn[${index}].match`);
  }
  const { concurrency, debounce } = request;
  if (concurrency?.key !== undefined && concurrency.limit === undefined) {
    throw new ApiError("invalid_argument", "concurrency.limit: is required beside a key");
  }
  compileKey(concurrency?.key, "concurrency.key");
  if (debounce !== undefined && debounce.periodMs === undefined) {
    throw new ApiError("invalid_argument", "debounce.periodMs: is required");
  }
  compileKey(debounce?.key, "debounce.key");
  const { id: _id, changeReason: _reason, preferredMode: _mode, endpointUrl, ...config } = request;
  if (wanted === "pull") return { ...config, preferredMode: "pull" };
  return { ...config, preferredMode: "push", endpointUrl: checkEndpoint(endpointUrl) };
}

function checkTrigger(trigger: Trigger, field: string): void {
  const { event, cron, expression } = trigger;
  if (event === undefined && cron === undefined) {
    throw new ApiError("invalid_argument", `${field}.event: is required, unless there is a cron`);
  }
  if (event !== undefined && cron !== undefined) {
    throw new ApiError("invalid_argument", `${field}.cron: excludes event; use two triggers`);
  }
  if (cron !== undefined) nextFiringMs(cron, 0, `${field}.cron`);
  if (expression === undefined) return;
  if (cron !== undefined) throw new ApiError("invalid_argument", `${field}.expression: needs an event`);
  compileExpression(expression, `${field}.expression`);
}
