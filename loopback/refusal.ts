import type { IncomingMessage, ServerResponse } from "node:http";
import { drain } from "./body.ts";
import type { Refusal } from "./guard.ts";

/** A refused caller may still be sending: that much is read, in bytes, so that it gets to see the answer. */
const MAX_REFUSED_BODY_BYTES = 256 * 1024;

const TEXT: Readonly<Record<Refusal["status"], string>> = {
  400: "bad request",
  401: "authentication required",
  403: "forbidden",
  404: "not found",
  405: "method not allowed",
  415: "unsupported media type",
  500: "internal error",
};

/**
 * Answers a refused request and ends its connection. The body depends on the status alone and says nothing about what is
 * behind the guard; `body` gives it another form, for instance a JSON-RPC error object.
 */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Pick<Refusal, "status" | "headers">,
  body: (text: string, status: number) => unknown = (text) => ({ error: text }),
): void {
  drain(request, MAX_REFUSED_BODY_BYTES);
  const text = JSON.stringify(body(TEXT[refusal.status], refusal.status));
  response.writeHead(refusal.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
    ...refusal.headers,
  });
  response.end(text);
}
