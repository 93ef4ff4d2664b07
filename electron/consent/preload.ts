import { contextBridge, ipcRenderer } from "electron";
import type { TextBridge } from "../contract/window.ts";

/** The consent window's own door: it knows its own rows only, and main takes them from this window only. */
const ironbridge: TextBridge = {
  request: async (name, argument) => String(await ipcRenderer.invoke(`consent/${name}`, argument)),
  listen: (name, listener) => {
    const forward = (_: unknown, body: string) => listener(body);
    ipcRenderer.on(`consent/${name}`, forward);
    return () => void ipcRenderer.off(`consent/${name}`, forward);
  },
};

contextBridge.exposeInMainWorld("ironbridge", ironbridge);
