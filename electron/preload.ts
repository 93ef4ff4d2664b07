import { contextBridge, ipcRenderer } from "electron";
import type { TextBridge } from "./contract/window.ts";

/** What is used of the page's window: the node side of this program has no DOM types. */
declare const window: {
  readonly location: { readonly origin: string };
  postMessage(message: unknown, targetOrigin: string, transfer: unknown[]): void;
};

/**
 * Runs sandboxed in the main window before the page: hands it the typed door and nothing else. Main checks every name,
 * argument and sender; this file only adds the door's name, so the page cannot reach any other channel.
 */
const ironbridge: TextBridge = {
  request: async (name, argument) => String(await ipcRenderer.invoke(`main/${name}`, argument)),
  listen: (name, listener) => {
    const forward = (_: unknown, body: string) => listener(body);
    ipcRenderer.on(`main/${name}`, forward);
    return () => void ipcRenderer.off(`main/${name}`, forward);
  },
};

contextBridge.exposeInMainWorld("ironbridge", ironbridge);

// A port cannot cross the bridge as a value; a message to our own page can carry it.
ipcRenderer.on("main/terminal-port", (event, message: unknown) => {
  window.postMessage(message, window.location.origin, [...event.ports]);
});
