import { connect, type Socket } from "node:net";
import { poll } from "./poll.ts";

/** A plain TCP connection to a loopback port, on which a test writes whatever bytes it likes. */
export interface RawConnection {
  socket: Socket;
  write(text: string | Buffer): void;
  /** Everything received so far, as latin1. */
  received(): string;
  /** Waits until what was received matches. @throws at the deadline */
  until(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** Waits until the server has ended the connection, and gives all that was received. */
  closed(withinMs?: number): Promise<string>;
  destroy(): void;
}

export async function rawConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  let ended = false;
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  socket.on("error", () => {
    // A server that cuts the connection is what some tests wait for.
  });
  socket.on("close", () => {
    ended = true;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return {
    socket,
    write: (bytes) => {
      socket.write(bytes);
    },
    received: () => text,
    until: (pattern, withinMs) =>
      poll(`${pattern.source} in ${text}`, () => pattern.exec(text) ?? undefined, withinMs),
    closed: async (withinMs) => {
      await poll("connection closed", () => ended, withinMs);
      return text;
    },
    destroy: () => {
      socket.destroy();
    },
  };
}
