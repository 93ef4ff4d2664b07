import { fromWireEnum } from "../contract/enums.ts";
import type { RegisterFunctionRequest } from "../contract/register.ts";
import { ApiError } from "../errors.ts";
import { compileExpression } from "./expression.ts";
import { parseMatch } from "./match.ts";
import { isPattern } from "./pattern.ts";

/** What a function was registered with. Stored as JSON; two equal texts are the same version. */
export type FunctionConfig = Omit<RegisterFunctionRequest, "id" | "changeReason" | "preferredMode"> & {
  preferredMode: "push";
  endpointUrl: string;
};

/** Parts of the contract that this engine does not execute. Taking them and doing nothing would be a lie. */
function refuseUnsupported(request: RegisterFunctionRequest): void {
  const unsupported: [string, boolean][] = [
    ["preferredMode", mode(request.preferredMode) === "pull"],
    ["debounce", request.debounce !== undefined],
    ["concurrency.key", request.concurrency?.key !== undefined],
    ["secrets", (request.secrets ?? []).length > 0],
    ["triggers.cron", (request.triggers ?? []).some((trigger) => trigger.cron !== undefined)],
  ];
  for (const [field, used] of unsupported) {
    if (used) throw new ApiError("unimplemented", `${field}: this engine does not execute it`);
  }
}

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
  refuseUnsupported(request);
  for (const [index, trigger] of (request.triggers ?? []).entries()) {
    if (trigger.event === undefined)
      throw new ApiError("invalid_argument", `triggers[${index}].event: is required`);
    if (trigger.expression !== undefined) {
      compileExpression(trigger.expression, `triggers[${index}].expression`);
    }
  }
  for (const [index, cancel] of (request.cancelOn ?? []).entries()) {
    if (isPattern(cancel.event)) {
      throw new ApiError("invalid_argument", `cancelOn[${index}].event: must be an exact event name`);
    }
    const match = parseMatch(cancel.match);
    if (match.grammar === "cel") compileExpression(match.expression, `cancelOn[${index}].match`);
  }
  const { id: _id, changeReason: _reason, preferredMode: _mode, ...config } = request;
  return { ...config, preferredMode: "push", endpointUrl: checkEndpoint(request.endpointUrl) };
}
