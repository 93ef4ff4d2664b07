import type { MessagePort } from "node:worker_threads";
import type { TabPort } from "../tab.ts";

/** The bridge's end over a real message channel. */
export function tabPort(port: MessagePort): TabPort {
  return {
    post: (message) => {
      port.postMessage(message);
    },
    onMessage: (listener) => {
      port.on("message", listener);
    },
    onClose: (listener) => {
      port.on("close", listener);
    },
    close: () => {
      port.close();
    },
  };
}
