import { contextBridge, ipcRenderer } from "electron";
import type { ConsentWindow } from "../contract/window.ts";

/** The consent window's own door: it knows its own rows only, and main takes them from this window only. */
const ironbridge: ConsentWindow = {
  request: (name, argument) => ipcRenderer.invoke(`consent/${name}`, argument),
  listen: (name, listener) => {
    const forward = (_: unknown, body: Parameters<typeof listener>[0]) => listener(body);
    ipcRenderer.on(`consent/${name}`, forward);
    return () => void ipcRenderer.off(`consent/${name}`, forward);
  },
};

contextBridge.exposeInMainWorld("ironbridge", ironbridge);
