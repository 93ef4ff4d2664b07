import type { Agent } from "node:http";
import { WebSocket, type RawData } from "ws";
import { ServerFrame, type ClientFrame } from "../../engine/contract/live.ts";
import type { LiveTopic } from "../contract/live.ts";
import { OWN_CONNECTIONS } from "../upstream/http.ts";
import { ProxyProblem } from "../upstream/proxy.ts";

export const SOCKET_LIMITS = {
  handshakeMs: 5_000,
  pingMs: 15_000,
  /** Frames carry whole payloads; only their topic is used. */
  frameBytes: 32 * 1024 * 1024,
  closeMs: 500,
} as const;

/** What is listened to, as the engine names it (contract, section 2.15). Event names may have any number of parts. */
export const PATTERNS: readonly (readonly [pattern: string, topic: LiveTopic])[] = [
  ["system.run.>", "runs"],
  ["events:*", "events"],
  ["events:>", "events"],
  ["system.function.>", "functions"],
  ["system.breaker.>", "breakers"],
  ["system.dead_letter.>", "dead_letters"],
  ["system.outbox.>", "dead_letters"],
];

export type SocketEnd =
  /** The engine answered with an HTTP status instead of a WebSocket: it has none, or not for us. */
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "lost"; readonly wasOpen: boolean; readonly reason: string };

export type SocketOptions = {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
  /** Called once, when the engine has answered every subscription: the topics that it serves. */
  readonly onSubscribed: (served: ReadonlySet<LiveTopic>) => void;
  readonly onTopic: (topic: LiveTopic) => void;
};

/**
 * Listens to an engine's WebSocket until it ends or `signal` aborts. Never rejects. The key travels in a header: the
 * engine's own clients put it into the address, from where it gets into logs, so an engine that insists on that is polled.
 */
export async function listenToSocket(options: SocketOptions): Promise<SocketEnd> {
  const agent = socketAgent(options.url);
  if (agent === undefined) return { kind: "refused", status: 0 };
  const socket = new WebSocket(socketUrl(options.url), {
    agent,
    headers: options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
    handshakeTimeout: SOCKET_LIMITS.handshakeMs,
    maxPayload: SOCKET_LIMITS.frameBytes,
    perMessageDeflate: false,
  });
  return new Promise((resolve) => {
    const subscriptions = new Subscriptions(options);
    let wasOpen = false;
    let reason = "the connection ended";
    let isAlive = true;
    const beat = setInterval(() => {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (!isAlive) {
        reason = "the engine stopped answering";
        socket.terminate();
      }
      isAlive = false;
      socket.ping();
    }, SOCKET_LIMITS.pingMs);
    const stop = () => {
      reason = "closed";
      socket.close(1000);
      setTimeout(() => socket.terminate(), SOCKET_LIMITS.closeMs).unref();
    };
    const finish = (end: SocketEnd) => {
      clearInterval(beat);
      options.signal.removeEventListener("abort", stop);
      resolve(end);
    };
    if (options.signal.aborted) stop();
    else options.signal.addEventListener("abort", stop, { once: true });

    socket.on("open", () => {
      wasOpen = true;
      for (const [pattern] of PATTERNS) socket.send(subscribeFrame(pattern));
    });
    socket.on("pong", () => {
      isAlive = true;
    });
    socket.on("message", (data) => {
      isAlive = true;
      subscriptions.receive(data);
    });
    socket.on("unexpected-response", (request, response) => {
      request.destroy();
      finish({ kind: "refused", status: response.statusCode ?? 0 });
    });
    socket.on("error", (error) => {
      reason = error.message;
    });
    socket.on("close", () => finish({ kind: "lost", wasOpen, reason }));
  });
}

/** Which subscription stands for which topic, and who has been answered. */
class Subscriptions {
  readonly #options: Pick<SocketOptions, "onSubscribed" | "onTopic">;
  readonly #topicOf = new Map<string, LiveTopic>();
  readonly #unanswered = new Set(PATTERNS.map(([pattern]) => pattern));

  constructor(options: Pick<SocketOptions, "onSubscribed" | "onTopic">) {
    this.#options = options;
  }

  receive(data: RawData): void {
    const frame = ServerFrame.safeParse(parseFrame(data));
    if (!frame.success) return; // A frame of a newer engine is not for us.
    if (frame.data.type === "event") {
      const topic = this.#topicOf.get(frame.data.subscriptionId);
      if (topic !== undefined) this.#options.onTopic(topic);
      return;
    }
    if (frame.data.type !== "subscription_result" || this.#unanswered.size === 0) return;
    for (const { pattern, status, subscriptionId } of frame.data.results) {
      const topic = PATTERNS.find(([known]) => known === pattern)?.[1];
      if (status === "ok" && subscriptionId !== undefined && topic !== undefined)
        this.#topicOf.set(subscriptionId, topic);
      this.#unanswered.delete(pattern);
    }
    if (this.#unanswered.size === 0) this.#options.onSubscribed(new Set(this.#topicOf.values()));
  }
}

/** The same trust and proxies as any call's; undefined where no socket can be opened with them. */
function socketAgent(url: string): Agent | undefined {
  try {
    return OWN_CONNECTIONS.webSocketAgent(new URL(url));
  } catch (error) {
    if (error instanceof ProxyProblem) return undefined; // every call says so
    throw error;
  }
}

function socketUrl(engineUrl: string): string {
  return `${engineUrl.replace(/^http/, "ws")}/ws`;
}

function subscribeFrame(pattern: string): string {
  const frame: ClientFrame = { type: "subscribe", subscription: { pattern } };
  return JSON.stringify(frame);
}

function parseFrame(data: RawData): unknown {
  // `ws` hands a text frame over as one buffer; the other forms of its type are for other settings of its own.
  if (!Buffer.isBuffer(data)) return undefined;
  try {
    return JSON.parse(data.toString("utf8"));
  } catch {
    return undefined; // Not JSON: the schema refuses it, like any frame that is not for us.
  }
}
