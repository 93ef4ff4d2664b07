import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { isInitializeRequest, type AuthInfo, type Server } from "@modelcontextprotocol/server";
import type { Clock } from "../../loopback/clock.ts";
import { sendRpcError } from "./rpc-error.ts";

/** Sessions of the handshake revisions. Their clients neither delete them nor recover from a lost one by themselves. */
export interface SessionLimits {
  /** Sessions of all callers together, and of one token. */
  readonly all: number;
  readonly perOwner: number;
  readonly idleMs: number;
  readonly sweepEveryMs: number;
}
export const SESSION_LIMITS: SessionLimits = {
  all: 128,
  perOwner: 16,
  idleMs: 30 * 60_000,
  sweepEveryMs: 60_000,
};

/** Who a session belongs to: another caller, token or connection that names its id finds nothing. */
export interface SessionOwner {
  /** Differs for every token, also for one that was made again under the same name. */
  readonly tokenId: string;
  readonly caller: string;
  readonly connection: string;
}

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: Server;
  readonly owner: SessionOwner;
  usedMs: number;
  /** Requests under way, streams included. */
  open: number;
  /** Ids of requests that are not answered yet. */
  readonly ids: Set<string | number>;
}

export interface LegacySessions {
  handle(request: LegacyRequest, response: ServerResponse, body: unknown, owner: SessionOwner): Promise<void>;
  /** Tells every client that its list of tools may have changed. */
  toolsChanged(): void;
  /** Ends the sessions for which this is true. */
  drop(which: (owner: SessionOwner) => boolean): Promise<void>;
  close(): Promise<void>;
  readonly count: number;
}

export type LegacyRequest = IncomingMessage & { auth: AuthInfo };

export interface LegacyOptions {
  /** Makes the server of one session. */
  build(request: LegacyRequest): Server;
  readonly clock: Clock;
  readonly limits?: Partial<SessionLimits>;
}

/** The handshake leg: one transport and one server per session, bound to its owner, capped and swept. */
export function legacySessions(options: LegacyOptions): LegacySessions {
  const limits = { ...SESSION_LIMITS, ...options.limits };
  const sessions = new Map<string, Session>();
  /** Answers to handshakes under way: each may become a session. */
  const opening = new Set<ServerResponse>();
  const sweep = setInterval(() => {
    const nowMs = options.clock.nowMs();
    for (const session of sessions.values()) {
      if (session.open === 0 && nowMs - session.usedMs > limits.idleMs) void session.transport.close();
    }
  }, limits.sweepEveryMs);
  sweep.unref();

  function occupy(session: Session, response: ServerResponse): void {
    session.usedMs = options.clock.nowMs();
    session.open += 1;
    response.once("close", () => {
      session.open -= 1;
      session.usedMs = options.clock.nowMs();
    });
  }

  /**
   * Room for one more: the owner's session that has been idle longest makes way. An owner that has none yet is let in by
   * the token that holds the most; nobody's only session ends for another.
   */
  async function makeRoom(owner: SessionOwner): Promise<boolean> {
    const byOwner = new Map<string, Session[]>();
    for (const session of sessions.values())
      byOwner.set(session.owner.tokenId, [...(byOwner.get(session.owner.tokenId) ?? []), session]);
    const own = byOwner.get(owner.tokenId) ?? [];
    if (own.length < limits.perOwner && sessions.size + opening.size < limits.all) return true;
    const [most = []] = [...byOwner.values()].sort((a, b) => b.length - a.length);
    const from = own.length > 0 ? own : most.length > 1 ? most : [];
    const idle = from.filter((session) => session.open === 0).sort((a, b) => a.usedMs - b.usedMs)[0];
    await idle?.transport.close();
    return idle !== undefined;
  }

  /** Two requests of one id under way: only one of them could ever be answered. */
  function takeIds(session: Session, response: ServerResponse, body: unknown): boolean {
    const ids = requestIds(body);
    if (new Set(ids).size < ids.length || ids.some((id) => session.ids.has(id))) return false;
    for (const id of ids) session.ids.add(id);
    response.once("close", () => {
      for (const id of ids) session.ids.delete(id);
    });
    return true;
  }

  async function open(request: LegacyRequest, response: ServerResponse, body: unknown, owner: SessionOwner) {
    if (!(await makeRoom(owner))) return sendRpcError(response, 503, -32_000, "Too many sessions", RETRY);
    opening.add(response);
    response.once("close", () => opening.delete(response));
    const server = options.build(request);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        const usedMs = options.clock.nowMs();
        const session: Session = { transport, server, owner, usedMs, open: 0, ids: new Set() };
        sessions.set(id, session);
        opening.delete(response);
        occupy(session, response);
      },
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one way to be heard
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
  }

  return {
    async handle(request, response, body, owner) {
      const id = request.headers["mcp-session-id"];
      const session = typeof id === "string" ? sessions.get(id) : undefined;
      if (session !== undefined && sameOwner(session.owner, owner)) {
        if (!takeIds(session, response, body))
          return sendRpcError(response, 400, -32_600, "a request with this id is under way in this session");
        occupy(session, response);
        return session.transport.handleRequest(request, response, body);
      }
      if (id === undefined && request.method === "POST" && isInitializeRequest(body)) {
        return open(request, response, body, owner);
      }
      if (id !== undefined) return sendRpcError(response, 404, -32_001, "Session not found");
      return sendRpcError(response, 400, -32_000, "Bad Request: Session ID required");
    },
    toolsChanged() {
      for (const session of sessions.values()) {
        session.server.sendToolListChanged().catch(() => {
          // A session that is closing needs no news.
        });
      }
    },
    async drop(which) {
      const dropped = [...sessions.values()].filter((session) => which(session.owner));
      await Promise.all(dropped.map((session) => session.transport.close()));
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map((session) => session.transport.close()));
    },
    get count() {
      return sessions.size;
    },
  };
}

const RETRY = { "retry-after": "30" };

const sameOwner = (a: SessionOwner, b: SessionOwner): boolean =>
  a.tokenId === b.tokenId && a.connection === b.connection;

/** Ids of the requests in a body: one message or, in the older revisions, a batch. Notifications and answers have none here. */
function requestIds(body: unknown): (string | number)[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message: unknown) => {
    const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
    return typeof method === "string" && (typeof id === "string" || typeof id === "number") ? [id] : [];
  });
}
