import type { Resource, Server } from "@modelcontextprotocol/server";
import {
  COALESCE_MS,
  CONNECTION_URI,
  LiveTopic,
  liveTopic,
  liveUri,
  type EngineConnection,
} from "../../contract/live.ts";
import { Coalescer } from "../../live/coalescer.ts";
import { log } from "../log.ts";

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

  /** What there is to read and to subscribe to. */
  readonly list = RESOURCES;

  /** What an address says now, or undefined when it is none of these. */
  read(uri: string): object | undefined {
    if (uri === CONNECTION_URI) return this.#connection;
    const topic = liveTopic(uri);
    return topic === undefined ? undefined : { topic, revision: this.#revisions.get(topic) ?? 0 };
  }

  /**
   * Tells a server's client of updates until its connection ends. One of a handshake revision subscribes through the
   * returned set; the SDK keeps the list of any other.
   */
  serve(server: Server, era: "modern" | "legacy"): Set<string> | undefined {
    const served: Served = { server, subscribed: era === "legacy" ? new Set() : undefined };
    this.#served.add(served);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
    server.onclose = () => this.#served.delete(served);
    return served.subscribed;
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
