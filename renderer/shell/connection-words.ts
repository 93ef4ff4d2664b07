import type { Connection } from "../../electron/contract/connection.ts";
import type { Tone } from "../ui/status-words.ts";

type Words = { readonly word: string; readonly tone: Tone };

const STATES: Record<Exclude<Connection["state"], "connected">, Words> = {
  starting: { word: "Starting", tone: "busy" },
  unreachable: { word: "Unreachable", tone: "bad" },
  unauthorized: { word: "Not authorised", tone: "bad" },
  crashed: { word: "Crashed", tone: "bad" },
};
const CONNECTED: Record<Connection["live"], Words> = {
  websocket: { word: "Live", tone: "good" },
  polling: { word: "Connected, polling", tone: "good" },
  none: { word: "Connected", tone: "good" },
};

/** How a connection reads: a word for its state, and whether changes arrive by themselves. */
export const connectionWords = ({ state, live }: Connection): Words =>
  state === "connected" ? CONNECTED[live] : STATES[state];

/**
 * What a person can do about an engine that lets nobody in without a key, or null where there is nothing to do here.
 * @param saved whether it was added under Settings; otherwise a flag named it, and its key is in the environment
 */
export function keyAdvice({ state, kind }: Connection, saved: boolean): string | null {
  if (state !== "unauthorized" || kind === "embedded") return null;
  return saved
    ? "Enter its key under Settings, Engines, API key."
    : "Its key is read from IRONFLOW_API_KEY: quit, set it, and start the app again.";
}

/** Who may write, short enough to stay on screen, and in full. While everything is stopped agents only read. */
export function writeWords(
  connection: Connection,
  stopped: boolean,
): { readonly short: string; readonly full: string } {
  const { person_may_write, agents_may_write } = connection;
  if (stopped) {
    return person_may_write
      ? { short: "Agents stopped", full: "Everything is stopped: agents only read. You may change things." }
      : { short: "READ-ONLY", full: "Everything is stopped: agents only read, and so do you here." };
  }
  if (!person_may_write && !agents_may_write) {
    return { short: "READ-ONLY", full: "Nobody changes anything in this engine: neither you nor agents." };
  }
  if (!person_may_write) {
    return { short: "READ-ONLY", full: "You only look; agents with a write permission may change things." };
  }
  return agents_may_write
    ? { short: "Writable", full: "You and agents with a write permission may change things in this engine." }
    : { short: "Writable by you", full: "You may change things in this engine; agents only look." };
}

/** The address without what everybody knows of it: `127.0.0.1:9123`. */
export function shortUrl(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url);
    const path = pathname === "/" ? "" : pathname;
    return protocol === "http:" ? host + path : `${protocol}//${host}${path}`;
  } catch {
    return url;
  }
}
