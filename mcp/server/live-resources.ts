import { ProtocolError, ProtocolErrorCode, type Resource, type Server } from "@modelcontextprotocol/server";
import {
  COALESCE_MS,
  CONNECTION_URI,
  LiveTopic,
  liveTopic,
  liveUri,
  type EngineConnection,
} from "../contract/live.ts";
import { Coalescer } from "../live/coalescer.ts";
import { log } from "./log.ts";

/** Resources that one client may subscribe to; there are no more than these anyway. */
const RESOURCES: readonly Resource[] = [
  {
    uri: CONNECTION_URI,
    name: "connection",
    title: "Connection to the engine",
    mimeType: "application/json",
    description: "Whether the engine answers, and how changes in it are heard of.",
  },
  ...LiveTopic.options.map((topic) => ({
    uri: liveUri(topic),
    name: `changes-${topic}`,
    title: `Changes of ${topic}`,
    mimeType: "application/json",
    description: `Updated when ${topic} change. Says that, not what: read the list again.`,
  })),
];

type Served = {
  readonly server: Server;
  /** Addresses a client of a handshake revision asked for; undefined when the SDK keeps the list (2026-07-28). */
  readonly subscribed: Set<string> | undefined;
};

/** The live resources of `--app`: what they say now, and who hears when that changes. */
export class LiveResources {
  readonly #served = new Set<Served>();
  readonly #revisions = new Map<LiveTopic, number>();
  readonly #coalescer = new Coalescer<string>((uri) => this.#notify(uri), COALESCE_MS);
  #connection: EngineConnection;

  constructor(connection: EngineConnection) {
    this.#connection = connection;
  }

  changed(topic: LiveTopic): void {
    this.#revisions.set(topic, (this.#revisions.get(topic) ?? 0) + 1);
    this.#coalescer.hit(liveUri(topic));
  }

  connectionChanged(connection: EngineConnection): void {
    this.#connection = connection;
    this.#coalescer.hit(CONNECTION_URI);
  }

  close(): void {
    this.#coalescer.close();
    this.#served.clear();
  }

  /** Lets a server answer for the resources, until its connection ends. */
  serve(server: Server, era: "modern" | "legacy"): void {
    const served: Served = { server, subscribed: era === "legacy" ? new Set() : undefined };
    this.#served.add(served);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
    server.onclose = () => this.#served.delete(served);

    server.setRequestHandler("resources/list", () => ({ resources: [...RESOURCES] }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
    server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify(this.#read(uri)) }],
    }));
    if (era === "modern") return;
    server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      this.#read(uri);
      served.subscribed?.add(uri);
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      served.subscribed?.delete(uri);
      return {};
    });
  }

  /** @throws ProtocolError for an address that is none of ours */
  #read(uri: string): object {
    if (uri === CONNECTION_URI) return this.#connection;
    const topic = liveTopic(uri);
    if (topic === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri.slice(0, 200)}`, {
        uri,
      });
    return { topic, revision: this.#revisions.get(topic) ?? 0 };
  }

  #notify(uri: string): void {
    for (const { server, subscribed } of this.#served) {
      if (subscribed?.has(uri) === false) continue;
      server.sendResourceUpdated({ uri }).catch((error: unknown) => {
        log(`an update of ${uri} was not sent: ${String(error)}`);
      });
    }
  }
}
