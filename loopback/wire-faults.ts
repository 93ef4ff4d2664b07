import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  endConnection,
  MAX_REFUSED_BODY_BYTES,
  rawRefusal,
  refusalText,
  type ErrorBody,
  type RefusedStatus,
} from "./refusal.ts";

/** Everything else is a 400: the bytes are no HTTP, or not the HTTP that Node's parser takes. */
const STATUS: Readonly<Record<string, RefusedStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

export interface WireFaults {
  /** A request has come. False: its connection was given up, so nothing is to be done for it. */
  begins(request: IncomingMessage, response: ServerResponse): boolean;
}

/**
 * Answers what fails below every guard (bytes that are no HTTP, headers that are too large or too late, a body with broken
 * chunks, CONNECT) with an error of the server's own form, where Node would send an empty one or hang up. What it says
 * depends on the fault alone, since nobody has shown a token yet.
 */
export function answerWireFaults(server: Server, errorBody: ErrorBody): WireFaults {
  /** Requests whose answers are not over, per connection, in the order in which they came. */
  const underWay = new WeakMap<Duplex, Set<ServerResponse>>();
  /** Connections that were told their fault, and how many bytes they had sent until then. */
  const givenUp = new WeakMap<Duplex, number>();

  server.on("clientError", (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket; // of a server that listens on TCP without TLS
    const before = givenUp.get(socket);
    if (before !== undefined) {
      // Every further piece is a further fault.
      if (socket.bytesRead - before > MAX_REFUSED_BODY_BYTES) socket.destroy();
      return;
    }
    givenUp.set(socket, socket.bytesRead);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS[error.code ?? ""] ?? 400;
    const [broken, ...others] = underWay.get(socket) ?? [];
    // Behind a request that is being served, it would be taken for the answer to that.
    const mayAnswer = others.length === 0 && broken?.headersSent !== true && broken?.req.complete !== true;
    const target = broken?.req.url ?? "";
    const lastWords = mayAnswer ? rawRefusal(status, refusalText(status, target, errorBody)) : "";
    // What did not come in time must not be served when it comes after all.
    endConnection(socket, lastWords, status === 408 ? "at-once" : "when-it-hangs-up");
  });

  server.on("connect", (_request, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    endConnection(socket, rawRefusal(400, refusalText(400, "", errorBody)), "at-once");
  });

  return {
    begins(request, response) {
      const { socket } = request;
      if (givenUp.has(socket)) return false;
      const open = underWay.get(socket) ?? new Set();
      underWay.set(socket, open.add(response));
      response.once("close", () => open.delete(response));
      return true;
    },
  };
}
