import {
  CONNECT_STATUS,
  ConnectCode,
  ConnectErrorBody,
  RestErrorBody,
} from "../../engine/contract/errors.ts";
import { NOT_SENT } from "../contract/errors.ts";
import type { ProxyProblem } from "./proxy.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { HttpAnswer, HttpRequest, Peer } from "./http.ts";

/** How much of what an engine sent may stand in an error. */
const QUOTE_BYTES = 200;

/** Codes after which Ironflow accepts the same body again (contract, section 1.4). */
const RETRYABLE: ReadonlySet<string> = new Set([
  "unknown",
  "deadline_exceeded",
  "internal",
  "unavailable",
  "data_loss",
  "resource_exhausted",
]);

/** Codes with which the engine says that it did nothing, so that even a write may be sent again. */
const NOTHING_DONE: ReadonlySet<string> = new Set(["resource_exhausted"]);

const OUTCOME_UNKNOWN =
  "It may or may not have been done: look at the target before you try again, or pass an idempotency_key where the tool takes one.";

/** The error in an answer of status 300 and up. */
export function answerError(peer: Peer, request: HttpRequest, answer: HttpAnswer): ToolFailure {
  if (answer.status >= 300 && answer.status < 400) return redirected(peer, answer.status);
  const { code, message } = errorBody(peer, answer);
  const retryAfterSeconds = parseRetryAfter(answer.headers.get("retry-after"));
  const reason = answer.headers.get("ironflow-error-reason") ?? undefined;
  const outcomeKnown = request.effect !== "once" || !RETRYABLE.has(code) || NOTHING_DONE.has(code);
  return new ToolFailure({
    code,
    message,
    retryable: outcomeKnown && RETRYABLE.has(code),
    reason: reason === undefined ? undefined : quote(reason),
    retryAfterSeconds,
    hint: outcomeKnown ? peer.hints[code] : OUTCOME_UNKNOWN,
  });
}

function redirected(peer: Peer, status: number): ToolFailure {
  return new ToolFailure({
    code: "failed_precondition",
    message: `${peer.name} answered with a redirect (HTTP ${status}), which is not followed`,
    retryable: false,
    hint: "Set the address that it really has; a redirect could carry the key elsewhere.",
  });
}

/** The proxy that the environment names stands in the way; the server has heard nothing. */
export function noWay(cause: ProxyProblem): ToolFailure {
  return new ToolFailure({
    code: "unavailable",
    message: cause.message,
    retryable: false,
    reason: NOT_SENT,
    hint: "Look at HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment.",
    cause,
  });
}

/** Words of OpenSSL and Node for a certificate that does not hold. The request has not left yet. */
const BAD_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|INVALID_CA/;

function untrusted(peer: Peer, baseUrl: string, word: string, cause: unknown): ToolFailure {
  return new ToolFailure({
    code: "unavailable",
    message: `the certificate of ${peer.name} at ${baseUrl} is not trusted (${word})`,
    retryable: false,
    reason: NOT_SENT,
    hint: "Is the address right? An authority of your own has to be among the system's roots, or its file in NODE_EXTRA_CA_CERTS.",
    cause,
  });
}

/** Nothing was sent back at all. */
export function unreachable(peer: Peer, request: HttpRequest, baseUrl: string, cause: unknown): ToolFailure {
  const word = networkWord(cause);
  if (BAD_CERTIFICATE.test(word)) return untrusted(peer, baseUrl, word, cause);
  // These happen before a byte of the request leaves, so nothing can have been done.
  const neverSent = word === "ECONNREFUSED" || word === "ENOTFOUND" || word === "EAI_AGAIN";
  const outcomeKnown = neverSent || request.effect !== "once";
  return new ToolFailure({
    code: "unavailable",
    message: neverSent
      ? `${peer.name} at ${baseUrl} cannot be reached (${word})`
      : `the connection to ${peer.name} was lost before it answered (${word})`,
    retryable: outcomeKnown,
    reason: neverSent ? NOT_SENT : undefined,
    hint: outcomeKnown ? "Is it running, and is the address right? Then try again." : OUTCOME_UNKNOWN,
    cause,
  });
}

/** What a read ends in that was sent and lost; when its last try found nobody any more, only that try was not sent. */
export function goneSince(lost: ToolFailure, last: ToolFailure): ToolFailure {
  if (last.reason !== NOT_SENT) return last;
  const { code, retryable, cause } = last;
  const message = `${lost.message}; since then, ${last.message}`;
  const hint = ["It only reads, so it may be sent again.", last.hint].filter(Boolean).join(" ");
  return new ToolFailure({ code, message, retryable, hint, cause });
}

/** An answer began and did not end. */
export function cutOff(peer: Peer, request: HttpRequest, cause: unknown): ToolFailure {
  const outcomeKnown = request.effect !== "once";
  return new ToolFailure({
    code: "unavailable",
    message: `the connection to ${peer.name} was lost in the middle of its answer (${networkWord(cause)})`,
    retryable: outcomeKnown,
    hint: outcomeKnown ? peer.hints.unavailable : OUTCOME_UNKNOWN,
    cause,
  });
}

export function deadlinePassed(
  peer: Peer,
  request: HttpRequest,
  deadlineMs: number,
  cause: unknown,
): ToolFailure {
  const outcomeKnown = request.effect !== "once";
  return new ToolFailure({
    code: "deadline_exceeded",
    message: `${peer.name} did not answer within ${deadlineMs / 1000} s`,
    retryable: outcomeKnown,
    hint: outcomeKnown ? "It is slow or stuck: ask for less, or try again later." : OUTCOME_UNKNOWN,
    cause,
  });
}

function errorBody(peer: Peer, answer: HttpAnswer): { code: ConnectCode; message: string } {
  const body = parseObject(answer.text);
  const connect = ConnectErrorBody.safeParse(body);
  if (connect.success)
    return { code: connect.data.code, message: sentence(peer, connect.data.message, answer.status) };
  const rest = RestErrorBody.safeParse(body);
  const named = rest.success ? ConnectCode.safeParse(rest.data.code?.toLowerCase()) : undefined;
  const words = rest.success ? (rest.data.error ?? rest.data.message) : undefined;
  return {
    code: named?.success === true ? named.data : codeOfStatus(answer.status),
    message: sentence(peer, words ?? answer.text, answer.status),
  };
}

/** The JSON of an error's body, or undefined when it is something else (a proxy's page). */
export function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const sentence = (peer: Peer, words: string, status: number): string => {
  const quoted = quote(words);
  return quoted === "" ? `${peer.name} answered HTTP ${status}` : quoted;
};

/** At most `QUOTE_BYTES` bytes of foreign text on one line, cut between characters. */
export function quote(text: string): string {
  const line = text
    .slice(0, QUOTE_BYTES * 2)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  let bytes = 0;
  let kept = "";
  for (const character of line) {
    bytes += Buffer.byteLength(character);
    if (bytes > QUOTE_BYTES - 3) return `${kept}…`;
    kept += character;
  }
  return kept;
}

/** The code that fits an HTTP status best where the body names none. */
function codeOfStatus(status: number): ConnectCode {
  if (status === 409) return "aborted";
  const match = Object.entries(CONNECT_STATUS).find(([, value]) => value === status);
  if (match !== undefined) return match[0] as ConnectCode;
  if (status === 402) return "permission_denied";
  if (status === 408) return "deadline_exceeded";
  if (status === 405) return "unimplemented";
  if (status === 502) return "unavailable";
  return status >= 500 ? "unknown" : "invalid_argument";
}

/** Seconds from now, from either form of the header; undefined when it is absent or senseless. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim())
    ? Number(header)
    : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** `ECONNREFUSED` and the like, found along the chain of causes. */
function networkWord(cause: unknown): string {
  let at: unknown = cause;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === "string" && /^[A-Z_]+$/.test(code)) return code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return "connection failed";
}
