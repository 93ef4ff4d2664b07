import { WebSocket } from "ws";
import { poll } from "../../loopback/testing/poll.ts";
import { WAIT_MS, type Body, type Target } from "./target.ts";

/** A client of `/ws`. */
export interface LiveClient {
  frames: Body[];
  send(frame: unknown): void;
  /** Subscribes and waits for the answer; the subscription's id. */
  subscribe(pattern: string, options?: Body): Promise<string>;
  /** Waits for an event frame that fits. */
  event(what: string, fits: (frame: Body) => boolean): Promise<Body>;
  close(): void;
}

/** A client of a watch, which only hears: `path?key=…`. @throws when the server refuses the upgrade: the message holds its status */
export async function openWatch(
  target: Pick<Target, "url" | "apiKey">,
  path: string,
  query: Record<string, string> = {},
): Promise<{ frames: Body[]; close: () => void }> {
  const { frames, socket } = await connect(target, path, query);
  return { frames, close: () => socket.terminate() };
}

async function connect(
  target: Pick<Target, "url" | "apiKey">,
  path: string,
  query: Record<string, string>,
): Promise<{ frames: Body[]; socket: WebSocket }> {
  const address = new URL(path, target.url.replace(/^http/, "ws"));
  const token = target.apiKey === undefined ? {} : { token: target.apiKey };
  for (const [name, value] of Object.entries({ env: "default", ...token, ...query }))
    address.searchParams.set(name, value);
  const socket = new WebSocket(address);
  const frames: Body[] = [];
  socket.on("message", (raw: Buffer) => frames.push(JSON.parse(raw.toString("utf8")) as Body));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", reject);
  });
  socket.on("error", () => socket.terminate());
  return { frames, socket };
}

/** @throws when the server refuses the upgrade: the message holds its status */
export async function openLive(
  target: Pick<Target, "url" | "apiKey">,
  query: Record<string, string> = {},
): Promise<LiveClient> {
  const { frames, socket } = await connect(target, "/ws", query);
  return {
    frames,
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    subscribe: async (pattern, options = {}) => {
      socket.send(JSON.stringify({ type: "subscribe", subscription: { pattern, options } }));
      return poll(
        `an answer to ${pattern}`,
        () => {
          for (const frame of frames) {
            if (frame["type"] !== "subscription_result") continue;
            const result = (frame["results"] as Body[]).find((row) => row["pattern"] === pattern);
            if (result?.["status"] === "error") throw new Error(String(result["message"]));
            if (result !== undefined) return String(result["subscriptionId"]);
          }
          return undefined;
        },
        WAIT_MS,
      );
    },
    event: (what, fits) =>
      poll(what, () => frames.find((frame) => frame["type"] === "event" && fits(frame)), WAIT_MS),
    close: () => socket.terminate(),
  };
}

/** A client of `/ws` for as long as `work` takes. */
export async function withLive(target: Target, work: (live: LiveClient) => Promise<void>): Promise<void> {
  const live = await openLive(target);
  try {
    await work(live);
  } finally {
    live.close();
  }
}
