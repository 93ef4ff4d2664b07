import type { IpcMainInvokeEvent } from "electron";

type Listener = (event: IpcMainInvokeEvent, argument: unknown) => Promise<unknown>;

/**
 * The part of electron that tests without Electron need, used as `vi.mock("electron", () => import(".../electron-mock.ts"))`.
 * Nothing else mocks electron.
 */
const handlers = new Map<string, Listener>();

// oxlint-disable-next-line ironbridge/ipc-door -- stands in for the real one
export const ipcMain = {
  handle(channel: string, listener: Listener): void {
    if (handlers.has(channel)) throw new Error(`a second handler for ${channel}`);
    handlers.set(channel, listener);
  },
  removeHandler: (channel: string): void => void handlers.delete(channel),
};

/** What a page would do with `ipcRenderer.invoke`. */
export async function invoke(channel: string, event: unknown, argument: unknown): Promise<unknown> {
  const handler = handlers.get(channel);
  if (handler === undefined) throw new Error(`no handler for ${channel}`);
  return handler(event as IpcMainInvokeEvent, argument);
}

export const channels = (): string[] => [...handlers.keys()].sort();
