import { parseExactJson } from "../../../loopback/exact-json.ts";
import { isShallow } from "../../../loopback/json-depth.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";

/** What is nested deeper overflows the stack of whoever walks it. */
const MAX_LEVELS = 100;

/**
 * The payload of a call that takes `data` or `data_json`; an empty object when it has neither.
 * @throws ToolFailure `invalid_argument`
 */
export function dataOf({ data, data_json }: { data?: unknown; data_json?: string | undefined }): unknown {
  if (data_json === undefined) return data === undefined ? {} : data;
  if (isShallow(data_json, MAX_LEVELS)) return parseExactJson(data_json);
  throw new ToolFailure({
    code: "invalid_argument",
    message: `arguments.data_json: is nested deeper than ${MAX_LEVELS} levels`,
    retryable: false,
  });
}
