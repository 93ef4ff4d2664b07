import { consentEvents, consentRequests } from "../electron/contract/consent.ts";
import { readBody } from "./json/read-body.ts";
import { events, requests } from "../electron/contract/ipc.ts";
import type { ConsentWindow, IronbridgeWindow, TextBridge } from "../electron/contract/window.ts";

/**
 * The only reader of what the preloads put on `window.ironbridge`. Everything that comes through it is parsed by the row
 * it belongs to: an answer that does not fit rejects, an event that does not fit is dropped with a line on the console.
 */
export type Door = IronbridgeWindow & {
  /**
   * Takes the port of a terminal tab that comes for this attach, once. The preload hands ports over as `message` events of
   * this very window; one that nobody takes (any more) is closed, so that the bridge knows. @returns the way to call it off
   */
  takePort(attachId: string, take: (port: MessagePort) => void): () => void;
};
export type ConsentDoor = ConsentWindow;

const bridgeOf = (host: Window): TextBridge | undefined => (host as { ironbridge?: TextBridge }).ironbridge;

/** The main window's door. Throws when the page was opened outside the app. */
export function windowDoor(host: Window = window): Door {
  const bridge = bridgeOf(host);
  if (bridge === undefined) throw new Error("this page only works inside Ironbridge");
  // Safe: names are looked up in the same maps that the door's types are derived from, and parsed by their rows.
  const door = checked(bridge, requests, events) as unknown as IronbridgeWindow;
  return { ...door, takePort: portsOf(host) };
}

/** The consent window's door. */
export function consentDoor(host: Window = window): ConsentDoor {
  const bridge = bridgeOf(host);
  if (bridge === undefined) throw new Error("this page only works inside Ironbridge");
  return checked(bridge, consentRequests, consentEvents) as unknown as ConsentDoor; // safe, as above
}

type Parses = { safeParse(value: unknown): { success: boolean; data?: unknown; error?: Error } };
type Rows = Record<string, { out: Parses }>;
type AnyDoor = {
  request(name: string, argument: unknown): Promise<unknown>;
  listen(name: string, listener: (body: unknown) => void): () => void;
};

function checked(bridge: TextBridge, answers: Rows, told: Record<string, Parses>): AnyDoor {
  return {
    async request(name, argument) {
      const row = answers[name];
      if (row === undefined) throw new Error(`there is no request "${name}"`);
      const parsed = row.out.safeParse(readBody(await asked(bridge, name, argument)));
      if (!parsed.success)
        throw new Error(`the answer to ${name} has an unknown shape`, { cause: parsed.error });
      return parsed.data;
    },
    listen(name, listener) {
      return bridge.listen(name, (body) => {
        const parsed = told[name]?.safeParse(JSON.parse(body));
        if (parsed?.success) listener(parsed.data);
        // oxlint-disable-next-line no-console -- main collects the page's console; a person sees nothing of it
        else console.error(`event ${name} has an unknown shape`, parsed?.error?.message);
      });
    },
  };
}

/** Electron's words around what main says went wrong. */
const AROUND_REASON = /^Error invoking remote method '[^']*': (?:Error: )?/;

async function asked(bridge: TextBridge, name: string, argument: unknown): Promise<string> {
  try {
    return await bridge.request(name, JSON.stringify(argument));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new Error(said.replace(AROUND_REASON, ""), { cause });
  }
}

function portsOf(host: Window): Door["takePort"] {
  const takers = new Map<string, (port: MessagePort) => void>();
  host.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source !== host) return;
    const body = event.data as { type?: unknown; attach_id?: unknown } | null;
    const [port] = event.ports;
    if (body?.type !== "ironbridge:terminal" || typeof body.attach_id !== "string" || !port) return;
    const take = takers.get(body.attach_id);
    takers.delete(body.attach_id);
    if (take === undefined) port.close();
    else take(port);
  });
  return (attachId, take) => {
    takers.set(attachId, take);
    return () => takers.delete(attachId);
  };
}
