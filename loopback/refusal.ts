import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { drain } from "./body.ts";
import type { Refusal } from "./guard.ts";

/** A refused caller may still be sending: that much is read, in bytes, so that it gets to see the answer. */
export const MAX_REFUSED_BODY_BYTES = 256 * 1024;
/** How long a caller that is sent away has to take its answer and to hang up, in ms. */
const MAX_PARTING_MS = 1_000;

/** Those of the guard, and those of what never became a request that a guard could look at. */
export type RefusedStatus = Refusal["status"] | 408 | 413 | 431;

const TEXT: Readonly<Record<RefusedStatus, string>> = {
  400: "bad request",
  401: "authentication required",
  403: "forbidden",
  404: "not found",
  405: "method not allowed",
  408: "request timeout",
  413: "content too large",
  415: "unsupported media type",
  417: "expectation failed",
  431: "request header fields too large",
  500: "internal error",
};

/** The form of a server's errors. `target` is the request's, "" when it could not be read. */
export type ErrorBody = (text: string, status: RefusedStatus, target: string) => unknown;

export const plainError: ErrorBody = (text) => ({ error: text });

/**
 * Answers a refused request and ends its connection. The body depends on status and target alone and says nothing about
 * what is behind the guard; `body` gives it another form, for instance a JSON-RPC error object.
 */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers }: { status: RefusedStatus; headers: Refusal["headers"] },
  body: ErrorBody = plainError,
): void {
  drain(request, MAX_REFUSED_BODY_BYTES);
  const text = refusalText(status, request.url ?? "", body);
  response.writeHead(status, { ...headersOf(text), ...headers });
  response.end(text);
}

/** The body of `sendRefusal`. */
export const refusalText = (status: RefusedStatus, target: string, body: ErrorBody): string =>
  JSON.stringify(body(TEXT[status], status, target));

/** An answer as it goes over the wire, for a connection on which Node has no response: it took no request from it. */
export function rawRefusal(status: number, text: string, headers: Refusal["headers"] = {}): string {
  const lines = Object.entries({ ...headersOf(text), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}\r\n${lines.join("")}\r\n${text}`;
}

/**
 * Ends a connection after `lastWords`: as soon as they have left, or, where somebody still reads what it sends, when it
 * hangs up. Cut off in the middle of sending, it might lose them.
 */
export function endConnection(socket: Duplex, lastWords: string, ends: "at-once" | "when-it-hangs-up"): void {
  const late = setTimeout(() => socket.destroy(), MAX_PARTING_MS);
  socket.once("close", () => clearTimeout(late));
  if (ends === "at-once") socket.once("finish", () => socket.destroy());
  socket.end(lastWords);
}

const headersOf = (text: string) => ({
  "content-type": "application/json",
  "content-length": Buffer.byteLength(text),
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close",
});
