import type { WebContents, MessagePortMain } from "electron";
import type * as z from "zod/v4";
import { consentEvents, type ConsentEventName } from "./contract/consent.ts";
import { events, type EventName } from "./contract/ipc.ts";

/** The only file that calls `webContents.send`: what main tells its pages, checked by the contract's row. */

export function sendEvent<N extends EventName>(
  to: WebContents,
  name: N,
  body: z.input<(typeof events)[N]>,
): void {
  send(to, `main/${name}`, events[name].parse(body));
}

export function sendConsentEvent<N extends ConsentEventName>(
  to: WebContents,
  name: N,
  body: z.input<(typeof consentEvents)[N]>,
): void {
  send(to, `consent/${name}`, consentEvents[name].parse(body));
}

/** Hands one end of a terminal's message channel to the page, for the attach with which it was asked for. */
export function sendTerminalPort(to: WebContents, attachId: string, port: MessagePortMain): void {
  to.postMessage("main/terminal-port", { type: "ironbridge:terminal", attach_id: attachId }, [port]);
}

function send(to: WebContents, channel: string, body: unknown): void {
  if (to.isDestroyed()) return; // a window that has just closed misses nothing
  to.send(channel, JSON.stringify(body)); // as text, see `TextBridge`
}
