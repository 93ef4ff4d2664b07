import type { WebSocket } from "ws";
import type { Core } from "../core.ts";
import { encodeJson } from "../json/json-text.ts";

/** What may wait for a client that does not read; beyond it the client is closed and has to watch anew. */
const maxUnreadBytes = 4 * 1024 * 1024;

const tryAgainLater = 1013;

/**
 * A client that watches something, and has itself nothing to say.
 * @param onClose runs once it is gone
 * @returns sends it a frame
 */
export function watchClient(core: Core, client: WebSocket, onClose: () => void): (frame: object) => void {
  client.on("message", () => {});
  client.on("error", (error) => core.log.warn({ err: error }, "a watcher's connection broke"));
  client.on("close", onClose);
  return (frame) => {
    if (client.readyState !== client.OPEN) return;
    if (client.bufferedAmount > maxUnreadBytes) {
      core.log.warn({ unreadBytes: client.bufferedAmount }, "a watcher that does not read was closed");
      client.close(tryAgainLater, `more than ${maxUnreadBytes} bytes unread`);
      return;
    }
    client.send(encodeJson(frame));
  };
}
