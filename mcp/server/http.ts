import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import {
  classifyInboundRequest,
  createMcpHandler,
  isInitializeRequest,
  type AuthInfo,
} from "@modelcontextprotocol/server";
import { BodyAborted, readJson } from "../../loopback/body.ts";
import { guardRequest, type GuardPolicy } from "../../loopback/guard.ts";
import { listen, type ListeningAt } from "../../loopback/listen.ts";
import { sendRefusal, type ErrorBody } from "../../loopback/refusal.ts";
import { sameToken } from "../../loopback/token.ts";
import type { ApplicationTools } from "./application-tools/catalog.ts";
import { log } from "./log.ts";
import type { BuildServer } from "./tool-server.ts";

const PATH = "/mcp";
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Sessions of handshake clients, which never say goodbye: the one that was idle longest makes way. */
const MAX_SESSIONS = 64;

export type HttpOptions = {
  /** 0 is any free one. */
  readonly port: number;
  readonly token: string;
  /** Clients that listen hear when these change. */
  readonly applications: Pick<ApplicationTools, "onChanged"> | undefined;
};

export type HttpServing = { readonly port: number; readonly url: string; close(): Promise<void> };

type Session = { readonly transport: NodeStreamableHTTPServerTransport; open: number };

/**
 * The tool server over HTTP on loopback, for both protocol eras: Host, Origin, path and token are looked at before a body
 * is read.
 * @param build makes one server per session (handshake) or request (2026-07-28)
 * @throws NoFreePort
 */
export async function serveHttp(
  build: BuildServer,
  { port, token, applications }: HttpOptions,
): Promise<HttpServing> {
  const modern = createMcpHandler(() => build({ era: "modern", perRequest: true }), { legacy: "reject" });
  const stopTelling = applications?.onChanged(() => modern.notify.toolsChanged());
  const modernNode = toNodeHandler(modern);
  /** In the order of their last use. */
  const sessions = new Map<string, Session>();

  const occupy = (id: string, session: Session, response: ServerResponse) => {
    sessions.delete(id);
    sessions.set(id, session);
    session.open += 1;
    response.once("close", () => (session.open -= 1));
  };

  async function open(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    if (sessions.size >= MAX_SESSIONS) {
      const idle = [...sessions.values()].find((session) => session.open === 0);
      if (idle === undefined) return sendError(response, 503, -32_000, "Too many sessions");
      await idle.transport.close();
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => occupy(id, { transport, open: 0 }, response),
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one way to be heard
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await build({ era: "legacy" }).connect(transport);
    await transport.handleRequest(withAuth(request), response, body);
  }

  async function legacy(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers["mcp-session-id"];
    if (id === undefined && request.method === "POST" && isInitializeRequest(body))
      return open(request, response, body);
    const session = typeof id === "string" ? sessions.get(id) : undefined;
    if (typeof id !== "string") return sendError(response, 400, -32_000, "Bad Request: Session ID required");
    if (session === undefined) return sendError(response, 404, -32_001, "Session not found");
    occupy(id, session, response);
    await session.transport.handleRequest(withAuth(request), response, body);
  }

  async function handle(request: IncomingMessage, response: ServerResponse, at: ListeningAt): Promise<void> {
    const admission = guardRequest(request, policyAt(at, token));
    if (!admission.ok) return sendRefusal(request, response, admission, refusalBody);
    if (request.method !== "POST") return legacy(request, response, undefined);
    const body = await readJson(request, { maxBytes: MAX_BODY_BYTES });
    if (!body.ok)
      return sendError(response, body.status, body.problem === "not-json" ? -32_700 : -32_000, body.message);
    const header = (name: string) => {
      const value = request.headers[name];
      return typeof value === "string" ? value : undefined;
    };
    const version = header("mcp-protocol-version");
    const method = header("mcp-method");
    const era = classifyInboundRequest({
      httpMethod: "POST",
      body: body.value,
      ...(version === undefined ? {} : { protocolVersionHeader: version }),
      ...(method === undefined ? {} : { mcpMethodHeader: method }),
    });
    if (era.kind === "legacy") return legacy(request, response, body.value);
    // A request that passed the guard has a method and a target.
    const whole = withAuth(request) as IncomingMessage & { auth: AuthInfo; method: string; url: string };
    return modernNode(whole, response, body.value);
  }

  const http = await listen(
    (at) => async (request, response) => {
      try {
        await handle(request, response, at);
      } catch (cause) {
        if (!(cause instanceof BodyAborted)) throw cause; // nobody is left to answer
      }
    },
    { port, errorBody: refusalBody, onError: (error) => log(`a request failed: ${String(error)}`) },
  );
  return {
    port: http.port,
    url: http.url + PATH,
    async close() {
      stopTelling?.();
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
      await modern.close();
      await http.close();
    },
  };
}

/** The token has done its work: nothing after the guard needs it. */
const withAuth = (request: IncomingMessage): IncomingMessage & { auth: AuthInfo } =>
  Object.assign(request, { auth: { token: "", clientId: "http", scopes: [] } });

function policyAt(at: ListeningAt, token: string): GuardPolicy<true> {
  return {
    // Clients may be configured with the name; it resolves on their side, and says loopback as well.
    hosts: new Set([at.host, `localhost:${at.port}`]),
    allowedOrigins: new Set([at.url, `http://localhost:${at.port}`]),
    routes: [{ path: PATH, methods: ["GET", "POST", "DELETE"] }],
    authenticate: (given) => (sameToken(given, token) ? true : undefined),
  };
}

const errorBody = (code: number, message: string) => ({ jsonrpc: "2.0", error: { code, message }, id: null });

const refusalBody: ErrorBody = (message) => errorBody(-32_000, message);

function sendError(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(errorBody(code, message)));
}
