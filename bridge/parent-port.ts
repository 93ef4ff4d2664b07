import type { FromBridge } from "./contract/port.ts";
import type { TabPort } from "./tab.ts";

/** The way to the process that started the bridge. */
export interface ParentPort {
  post(message: FromBridge): void;
  /** What arrives is not trusted. `port` came with the message. */
  onMessage(listener: (message: unknown, port: TabPort | undefined) => void): void;
  /** The parent is gone. */
  onGone(listener: () => void): void;
}

/** The part of Electron's `MessagePortMain` that is used; nothing here imports electron. */
interface ElectronPort {
  postMessage(message: unknown): void;
  on(event: "message", listener: (event: { data: unknown }) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  start(): void;
  close(): void;
}

/** The part of `process.parentPort` in a utility process that is used. */
interface ElectronParentPort {
  postMessage(message: unknown): void;
  on(event: "message", listener: (event: { data: unknown; ports: readonly ElectronPort[] }) => void): unknown;
}

/**
 * In a utility process Electron's port, under plain Node the channel of `child_process.fork`, which carries no ports.
 * @throws Error when there is neither
 */
export function parentPort(): ParentPort {
  const { parentPort: electron } = process as NodeJS.Process & { parentPort?: ElectronParentPort };
  if (electron !== undefined) return overElectron(electron);
  if (process.send === undefined) throw new Error("the bridge is started by the app, as its utility process");
  return overIpc();
}

function overElectron(parent: ElectronParentPort): ParentPort {
  return {
    post: (message) => {
      parent.postMessage(message);
    },
    onMessage: (listener) => {
      parent.on("message", ({ data, ports: [port] }) => {
        listener(data, port === undefined ? undefined : tabPort(port));
      });
    },
    // Electron ends a utility process whose parent is gone by itself.
    onGone: () => {},
  };
}

function overIpc(): ParentPort {
  return {
    post: (message) => {
      if (process.connected) process.send?.(message);
    },
    onMessage: (listener) => {
      process.on("message", (message) => {
        listener(message, undefined);
      });
    },
    onGone: (listener) => {
      process.once("disconnect", listener);
    },
  };
}

function tabPort(port: ElectronPort): TabPort {
  return {
    post: (message) => {
      port.postMessage(message);
    },
    onMessage: (listener) => {
      port.on("message", ({ data }) => {
        listener(data);
      });
      port.start();
    },
    onClose: (listener) => {
      port.on("close", listener);
    },
    close: () => {
      port.close();
    },
  };
}
