import type { IncomingMessage } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { guard, type RawRequest, type Route } from "../../loopback/guard.ts";
import type { LoopbackServer } from "../../loopback/listen.ts";
import { ClientFrame, type ServerFrame } from "../contract/live.ts";
import { ApiError } from "../errors.ts";
import { matchesTopic } from "../execute/pattern.ts";
import type { Notice } from "../execute/hub.ts";
import { encodeJson } from "../json/json-text.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import { environmentOf, policyAt, type DoorOptions } from "./door.ts";
import { openWatch, watchedBucket } from "./kv-watch.ts";
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

/** Serves `/ws` (section 2.15) and the watches of buckets (2.10) on the server's upgrade requests. */
export function serveLive(server: LoopbackServer, options: DoorOptions): Live {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, clientTracking: true });
  const policy = { ...policyAt(server, options), routes: liveRoutes(options) };
  server.onUpgrade((request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const asked = readUpgrade(request);
    const admission = guard(asked.request, policy);
    const environment = admission.ok
      ? environmentOf(options, admission.caller, asked.environment)
      : undefined;
    const refuse = (status: number) =>
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    if (!admission.ok || environment === undefined || sockets.clients.size >= maxClients) {
      refuse(!admission.ok ? admission.status : environment === undefined ? 403 : 503);
      return;
    }
    try {
      const serve = serverOf(options, environment, admission.path, asked.key);
      sockets.handleUpgrade(request, socket, head, serve);
    } catch (error) {
      refuse(toProblem(error).status);
    }
  });
  return {
    close: () => {
      for (const client of sockets.clients) client.close(goingAway, "the engine is stopping");
      sockets.close();
    },
  };
}

function liveRoutes(options: DoorOptions): Route[] {
  const rest = { methods: ["GET"], ...(options.server.authRequired ? {} : { anonymous: true as const }) };
  return [
    { path: "/ws", ...rest },
    { under: "/api/v1/kv/buckets/", ...rest },
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
  const bucket = watchedBucket(path);
  if (bucket === undefined) throw new ApiError("not_found", "nothing to upgrade to");
  return openWatch(options, environment, bucket, key);
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
  const patterns = new Map<string, string>();
  let unsubscribe: (() => void) | undefined;
  /** False: the client does not read, and was cut off. */
  const send = (frame: ServerFrame): boolean => {
    if (client.readyState !== client.OPEN) return true;
    if (client.bufferedAmount > maxUnreadBytes) {
      core.log.warn({ unreadBytes: client.bufferedAmount }, "a live client that does not read was closed");
      unsubscribe?.();
      client.close(tryAgainLater, `more than ${maxUnreadBytes} bytes unread`);
      return false;
    }
    client.send(encodeJson(frame));
    return true;
  };
  const onNotice = (notice: Notice): void => {
    if (notice.environmentId !== environment.id) return;
    for (const [subscriptionId, pattern] of patterns) {
      if (!matchesTopic(pattern, notice.topic)) continue;
      const given = send({
        type: "event",
        subscriptionId,
        topic: notice.topic,
        data: notice.data,
        ...(notice.eventId === undefined ? {} : { eventId: notice.eventId }),
      });
      if (!given)
        core.undelivered(notice, `a live client was cut off with more than ${maxUnreadBytes} bytes unread`);
    }
  };
  const wants = (environmentId: string, topic: string) =>
    environmentId === environment.id &&
    [...patterns.values()].some((pattern) => matchesTopic(pattern, topic));

  client.on("message", (raw: Buffer, binary: boolean) => {
    const frame = binary ? undefined : readFrame(raw.toString("utf8"));
    if (frame === undefined || "problem" in frame) {
      send({ type: "error", code: "invalid_argument", message: frame?.problem ?? "frames are text" });
    } else if (frame.type === "subscribe") {
      const { pattern } = frame.subscription;
      if (patterns.size >= maxSubscriptions) {
        const message = `more than ${maxSubscriptions} subscriptions`;
        send({
          type: "subscription_result",
          results: [{ pattern, status: "error", code: "resource_exhausted", message }],
        });
        return;
      }
      const subscriptionId = core.ids.next("sub");
      patterns.set(subscriptionId, pattern);
      unsubscribe ??= core.hub.subscribe(onNotice, wants);
      send({ type: "subscription_result", results: [{ pattern, status: "ok", subscriptionId }] });
    } else if (frame.type === "unsubscribe") {
      patterns.delete(frame.subscriptionId);
    }
    // An ack needs no answer: this engine delivers at most once.
  });
  client.on("error", (error) => core.log.warn({ err: error }, "a live client's connection broke"));
  client.on("close", () => unsubscribe?.());
}

function readFrame(text: string): ClientFrame | { problem: string } {
  try {
    const parsed = ClientFrame.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : { problem: describeIssue(parsed.error) };
  } catch {
    return { problem: "a frame must be JSON" };
  }
}
