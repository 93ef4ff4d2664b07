import { parseExactJson } from "../../../loopback/exact-json.ts";

/** The payload of a call that takes `data` or `data_json`; an empty object when it has neither. */
export function dataOf({ data, data_json }: { data?: unknown; data_json?: string | undefined }): unknown {
  if (data_json !== undefined) return parseExactJson(data_json);
  return data === undefined ? {} : data;
}
