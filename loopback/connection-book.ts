import type { Socket } from "node:net";

/** The open connections of a server, upgraded ones included: those leave the server's own books. */
export interface ConnectionBook {
  /** A new one. When there are too many, one without a request goes, or the new one where there is no such. */
  opened(socket: Socket): void;
  /** A request of this connection is under way. An upgraded connection stays busy for the rest of its life. */
  busy(socket: Socket): void;
  /** A request of this connection is over. */
  free(socket: Socket): void;
  cutAll(): void;
}

/**
 * Keeps at most `max` connections. Whoever holds a connection without asking anything (it needs no token for that) cannot
 * keep others out: the one that has been without a request longest makes way.
 */
export function connectionBook(max: number): ConnectionBook {
  /** Requests under way, per connection; those without one in the order in which they became so. */
  const requests = new Map<Socket, number>();

  function makeRoom(): boolean {
    for (const [socket, count] of requests) {
      if (count > 0) continue;
      requests.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  return {
    opened(socket) {
      if (requests.size >= max && !makeRoom()) {
        socket.destroy();
        return;
      }
      requests.set(socket, 0);
      socket.once("close", () => requests.delete(socket));
    },
    busy(socket) {
      const count = requests.get(socket);
      if (count !== undefined) requests.set(socket, count + 1);
    },
    free(socket) {
      const count = requests.get(socket);
      if (count === undefined) return; // it has gone
      requests.delete(socket);
      requests.set(socket, count - 1);
    },
    cutAll() {
      for (const socket of requests.keys()) socket.destroy();
    },
  };
}
