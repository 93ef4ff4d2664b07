import { RestErrorBody } from "../../../engine/contract/errors.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import type { HttpAnswer } from "../../upstream/http.ts";
import { parseObject } from "../../upstream/http-errors.ts";

/** An engine that serves its dashboard on every path it does not know answers a missing route with a page. */
export const isPage = (answer: HttpAnswer): boolean =>
  answer.status === 200 && (answer.headers.get("content-type") ?? "").startsWith("text/html");

/** True when the route is not there, as against a record that is not there. */
export function isMissingRestRoute(answer: HttpAnswer, namesRecord: true | undefined): boolean {
  if (answer.status === 501 || answer.status === 405 || isPage(answer)) return true;
  if (answer.status !== 404) return false;
  const body = RestErrorBody.safeParse(parseObject(answer.text));
  const hasWords = body.success && (body.data.error ?? body.data.message) !== undefined;
  return namesRecord !== true || !hasWords;
}

export function notServed(what: string): ToolFailure {
  return new ToolFailure({
    code: "unimplemented",
    message: `the engine does not serve ${what}`,
    retryable: false,
    hint: "This engine's version has no such operation; ironflow_server_info shows the version.",
  });
}
