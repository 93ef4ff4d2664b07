import type { IncomingMessage } from "node:http";
import type * as z from "zod/v4";
import { WebSocketServer, type WebSocket } from "ws";
import { guard, type RawRequest, type Route } from "../../loopback/guard.ts";
import type { LoopbackServer } from "../../loopback/listen.ts";
import { endConnection, rawRefusal, refusalText } from "../../loopback/refusal.ts";
import { toTimestamp } from "../clock.ts";
import { SubscribeOptions, type AckFrame } from "../contract/consumer-groups.ts";
import { ClientFrame, type ServerFrame } from "../contract/live.ts";
import { ApiError } from "../errors.ts";
import { encodeJson } from "../json/json-text.ts";
import { subscribe, type Sent, type Subscription } from "../pubsub/subscribe.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import { environmentOf, errorBody, noteUnknown, policyAt, type DoorOptions } from "./door.ts";
import { openConfigWatch } from "./config-watch.ts";
import { openKvWatch } from "./kv-watch.ts";
import { describeIssue, toProblem } from "./problem.ts";

/** What a client may send in one frame. */
const maxFrameBytes = 64 * 1024;
/** What may wait for a client that does not read; beyond it the client is closed and reads the lists again. */
const maxUnreadBytes = 4 * 1024 * 1024;
const maxSubscriptions = 64;
const maxClients = 64;

const tryAgainLater = 1013;
const goingAway = 1001;

export interface Live {
  close(): void;
}

/** Serves `/ws` (section 2.15) and the watches of buckets and configurations (2.10) on the server's upgrade requests. */
export function serveLive(server: LoopbackServer, options: DoorOptions): Live {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, clientTracking: true });
  const policy = { ...policyAt(server, options), routes: liveRoutes(options) };
  server.onUpgrade((request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const asked = readUpgrade(request);
    const admission = guard(asked.request, policy);
    if (!admission.ok) {
      noteUnknown(options, request, admission);
      const { status, headers } = admission;
      endConnection(socket, rawRefusal(status, refusalText(status, "", errorBody), headers), "at-once");
      return;
    }
    try {
      const environment = environmentOf(options, admission.caller, asked.environment);
      if (environment === undefined)
        throw new ApiError("permission_denied", "env: there is no such environment, or not for this key");
      if (sockets.clients.size >= maxClients)
        throw new ApiError("unavailable", `${maxClients} clients are connected already`);
      const serve = serverOf(options, environment, admission.path, asked.key);
      sockets.handleUpgrade(request, socket, head, serve);
    } catch (error) {
      const { status, message, restCode } = toProblem(error);
      endConnection(socket, rawRefusal(status, encodeJson({ error: message, code: restCode })), "at-once");
    }
  });
  // Left to itself, the library answers a handshake that is none with a page.
  sockets.on("wsClientError", (_error, socket) => {
    const text = refusalText(400, "", errorBody);
    endConnection(socket, rawRefusal(400, text, { "sec-websocket-version": "13" }), "at-once");
  });
  return {
    close: () => {
      for (const client of sockets.clients) client.close(goingAway, "the engine is stopping");
      sockets.close();
    },
  };
}

const BUCKETS = "/api/v1/kv/buckets/";
const CONFIGS = "/api/v1/config/";

/** What a path of `{under}{name}/watch` names; undefined for another path. */
function watchedName(path: string, under: string): string | undefined {
  if (!path.startsWith(under)) return undefined;
  const segment = /^([^/]+)\/watch$/.exec(path.slice(under.length))?.[1];
  // The guard has refused what cannot be decoded.
  return segment === undefined ? undefined : decodeURIComponent(segment);
}

function liveRoutes(options: DoorOptions): Route[] {
  const rest = { methods: ["GET"], ...(options.server.authRequired ? {} : { anonymous: true as const }) };
  return [
    { path: "/ws", ...rest },
    { under: BUCKETS, ...rest },
    { under: CONFIGS, ...rest },
  ];
}

/** Who answers a client of this path. @throws ZodError, ApiError */
function serverOf(
  options: DoorOptions,
  environment: EnvironmentRow,
  path: string,
  key: string | null,
): (client: WebSocket) => void {
  if (path === "/ws") return (client) => serveClient(client, environment, options);
  const bucket = watchedName(path, BUCKETS);
  if (bucket !== undefined) return openKvWatch(options.core, environment, bucket, key);
  const config = watchedName(path, CONFIGS);
  if (config !== undefined) return openConfigWatch(options.core, environment, config);
  throw new ApiError("not_found", "nothing to upgrade to");
}

/** Browsers cannot set headers on a WebSocket, so the contract lets its key come in the query: it becomes the header. */
function readUpgrade(request: IncomingMessage): {
  request: RawRequest;
  environment: string | undefined;
  key: string | null;
} {
  const target = request.url ?? "";
  const mark = target.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1));
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at] ?? "", request.rawHeaders[at + 1] ?? ""]);
  }
  const token = query.get("token");
  if (token !== null) headers.push(["authorization", `Bearer ${token}`]);
  return {
    request: { method: request.method ?? "", target: mark < 0 ? target : target.slice(0, mark), headers },
    environment: query.get("env") ?? undefined,
    key: query.get("key"),
  };
}

function serveClient(client: WebSocket, environment: EnvironmentRow, { core }: DoorOptions): void {
  const subscriptions = new Map<string, Subscription>();
  /** Subscriptions that are made, and those that are about to be. */
  let taken = 0;
  const closeAll = () => {
    for (const subscription of subscriptions.values()) subscription.close();
    subscriptions.clear();
  };
  /** False: the client does not read, and was cut off. */
  const send = (frame: ServerFrame): boolean => {
    if (client.readyState !== client.OPEN) return true;
    if (client.bufferedAmount > maxUnreadBytes) {
      core.log.warn({ unreadBytes: client.bufferedAmount }, "a live client that does not read was closed");
      client.close(tryAgainLater, `more than ${maxUnreadBytes} bytes unread`);
      closeAll();
      return false;
    }
    client.send(encodeJson(frame));
    return true;
  };

  async function addSubscription(pattern: string, options: SubscribeOptions): Promise<void> {
    const answer = (result: object) =>
      send({ type: "subscription_result", results: [{ pattern, ...result }] } as ServerFrame);
    if (taken >= maxSubscriptions) {
      const message = `more than ${maxSubscriptions} subscriptions`;
      answer({ status: "error", code: "resource_exhausted", message });
      return;
    }
    taken += 1;
    try {
      const unread = `a live client was cut off with more than ${maxUnreadBytes} bytes unread`;
      const subscription: Subscription = await subscribe(
        core,
        { environmentId: environment.id, pattern, options, unread },
        {
          isOpen: () => client.readyState === client.OPEN,
          unreadBytes: () => client.bufferedAmount,
          send: (sent) => send(eventFrame(subscription.id, sent, options.includeMetadata === true)),
          onEnd: ({ code, message }) => {
            if (subscriptions.delete(subscription.id)) taken -= 1;
            send({
              type: "subscription_error",
              subscriptionId: subscription.id,
              code,
              message,
              retrying: false,
            });
          },
        },
      );
      if (client.readyState !== client.OPEN) {
        subscription.close();
        return;
      }
      subscriptions.set(subscription.id, subscription);
      answer({ status: "ok", subscriptionId: subscription.id });
      subscription.begin();
    } catch (error) {
      taken -= 1;
      const { code, message } = toProblem(error);
      answer({ status: "error", code, message });
    }
  }

  /** Which delivery is meant is told by the event's id; of several subscriptions the one that holds it. */
  async function acknowledge(frame: z.output<typeof AckFrame>): Promise<void> {
    const meant =
      frame.subscriptionId === undefined
        ? [...subscriptions.values()]
        : [subscriptions.get(frame.subscriptionId)];
    await core.writer.write((tx) => {
      for (const subscription of meant) {
        if (subscription?.groupId === undefined) continue;
        const { id: member, groupId } = subscription;
        if (core.store.groupDeliveries.held(groupId, member, frame.eventId) === undefined) continue;
        const type = frame.ackType ?? "ack";
        core.groups.settle(tx, groupId, {
          member,
          messageId: frame.eventId,
          type,
          redeliverDelayMs: frame.redeliverDelay,
        });
      }
    });
  }

  client.on("message", (raw: Buffer, binary: boolean) => {
    const frame = binary ? undefined : readFrame(raw.toString("utf8"));
    if (frame === undefined || "problem" in frame) {
      send({ type: "error", code: "invalid_argument", message: frame?.problem ?? "frames are text" });
    } else if (frame.type === "subscribe") {
      void addSubscription(frame.subscription.pattern, frame.subscription.options ?? NO_OPTIONS); // it catches what goes wrong
    } else if (frame.type === "unsubscribe") {
      subscriptions.get(frame.subscriptionId)?.close();
      if (subscriptions.delete(frame.subscriptionId)) taken -= 1;
    } else if (subscriptions.size > 0) {
      acknowledge(frame).catch((error: unknown) => {
        const { code, message } = toProblem(error);
        send({ type: "error", code, message });
      });
    }
  });
  client.on("error", (error) => core.log.warn({ err: error }, "a live client's connection broke"));
  client.on("close", closeAll);
}

const NO_OPTIONS = SubscribeOptions.parse({});

function eventFrame(subscriptionId: string, sent: Sent, withMeta: boolean): ServerFrame {
  return {
    type: "event",
    subscriptionId,
    topic: sent.topic,
    data: sent.data,
    ...(sent.eventId === undefined ? {} : { eventId: sent.eventId }),
    ...(withMeta
      ? {
          meta: {
            timestamp: toTimestamp(sent.timestampMs),
            ...(sent.sequence === 0 ? {} : { sequence: sent.sequence }),
          },
        }
      : {}),
  };
}

function readFrame(text: string): ClientFrame | { problem: string } {
  try {
    const parsed = ClientFrame.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : { problem: describeIssue(parsed.error) };
  } catch {
    return { problem: "a frame must be JSON" };
  }
}
