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

/** What a page would do with `ipcRenderer.invoke`: its argument goes as text, and so does the answer. */
export async function invoke(channel: string, event: unknown, argument: unknown): Promise<unknown> {
  return JSON.parse(String(await invokeText(channel, event, JSON.stringify(argument))));
}

export async function invokeText(channel: string, event: unknown, text: unknown): Promise<unknown> {
  const handler = handlers.get(channel);
  if (handler === undefined) throw new Error(`no handler for ${channel}`);
  return handler(event as IpcMainInvokeEvent, text);
}

export const channels = (): string[] => [...handlers.keys()].sort();
