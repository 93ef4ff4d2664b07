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
  /** A request to upgrade has come. False: others are under way before it, so it is not taken, and ends its connection. */
  mayUpgrade(request: IncomingMessage): boolean;
}

/**
 * Answers what fails below every guard (bytes that are no HTTP, headers that are too large or too late, a body with broken
 * chunks, CONNECT) with an error of the server's own form, where Node would send an empty one or hang up. What it says
 * depends on the fault alone, since nobody has shown a token yet. Behind a request that is being served it says nothing,
 * since that would be taken for the answer to the request.
 */
export function answerWireFaults(server: Server, errorBody: ErrorBody): WireFaults {
  /** Requests whose answers are not over, per connection, in the order in which they came. */
  const underWay = new WeakMap<Duplex, Set<ServerResponse>>();
  /** Connections that are not listened to any more, and how many bytes they had sent until then. */
  const givenUp = new WeakMap<Socket, number>();

  function cutWhenItGoesOn(socket: Socket): void {
    if (socket.bytesRead - (givenUp.get(socket) ?? 0) > MAX_REFUSED_BODY_BYTES) socket.destroy();
  }

  /**
   * Ends a connection when what was asked on it before is answered, which takes as long as it would without the fault, or
   * when the caller hangs up. False: nothing whole was asked.
   */
  function endsAfterAnswers(socket: Socket, ends: Parameters<typeof endConnection>[2]): boolean {
    const last = [...(underWay.get(socket) ?? [])].findLast(({ req }) => req.complete);
    if (last === undefined || !socket.writable || socket.readableEnded) return false;
    last.shouldKeepAlive = false;
    const hungUp = () => socket.destroy();
    socket.once("end", hungUp);
    last.once("close", () => {
      socket.off("end", hungUp);
      if (!socket.destroyed) endConnection(socket, "", ends);
    });
    return true;
  }

  /** `endsAfterAnswers` for a connection that Node has handed over: it neither reads from it nor tells of room on it. */
  function endsHandedOver(socket: Socket): boolean {
    if (!endsAfterAnswers(socket, "at-once")) return false;
    givenUp.set(socket, socket.bytesRead);
    socket.on("error", () => socket.destroy());
    socket.on("data", () => cutWhenItGoesOn(socket));
    socket.on("drain", () => underWay.get(socket)?.forEach((response) => response.emit("drain")));
    return true;
  }

  server.on("clientError", (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket; // of a server that listens on TCP without TLS
    // Every further piece is a further fault.
    if (givenUp.has(socket)) return cutWhenItGoesOn(socket);
    givenUp.set(socket, socket.bytesRead);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS[error.code ?? ""] ?? 400;
    // What did not come in time must not be served when it comes after all.
    const ends = status === 408 ? "at-once" : "when-it-hangs-up";
    if (ends === "when-it-hangs-up" && endsAfterAnswers(socket, ends)) return;
    const [broken, ...others] = underWay.get(socket) ?? [];
    const mayAnswer = others.length === 0 && broken?.headersSent !== true && broken?.req.complete !== true;
    const target = broken?.req.url ?? "";
    endConnection(socket, mayAnswer ? rawRefusal(status, refusalText(status, target, errorBody)) : "", ends);
  });

  server.on("connect", ({ socket }) => {
    if (endsHandedOver(socket)) return;
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
    mayUpgrade: ({ socket }) => !endsHandedOver(socket),
  };
}
