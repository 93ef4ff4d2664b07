import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { classifyInboundRequest, createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { BodyAborted, drain, readJson } from "../../loopback/body.ts";
import { systemClock, within, type Clock } from "../../loopback/clock.ts";
import { guardRequest, type GuardPolicy, type Refusal } from "../../loopback/guard.ts";
import { listen, type ListeningAt } from "../../loopback/listen.ts";
import { sendRefusal, type ErrorBody } from "../../loopback/refusal.ts";
import {
  legacySessions,
  type LegacyOptions,
  type LegacyRequest,
  type LegacySessions,
} from "./legacy-sessions.ts";
import { grants, type Caller } from "./permissions.ts";
import { factsOf, remoteOf, toAuthInfo, type Remote, type RequestFacts } from "./request-facts.ts";
import { rpcError, sendRpcError } from "./rpc-error.ts";

/** A caller's requests under way, streams included, so that connections are left for others. */
const REQUESTS_PER_CALLER = 64;
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
const PATH = "/mcp";
/** Streams of 2026-07-28 clients that wait for news of the list of tools. */
const MAX_SUBSCRIPTIONS = 128;
/** How long requests under way may still be answered when the endpoint closes, in ms. */
const LAST_ANSWERS_MS = 1_000;

/** A caller as its token proved it. `tokenId` differs for every token, also under the same name. */
export interface Authenticated {
  readonly caller: Caller;
  readonly tokenId: string;
}

export interface EndpointOptions {
  /** Ports to try in this order; 0 is any free one. */
  readonly ports: readonly number[];
  authenticate(token: string): Authenticated | undefined;
  /** The connection behind `/mcp` and behind `/mcp/<id>`, or undefined when there is none of that name. */
  connection(id: string | undefined): string | undefined;
  /** Makes the protocol's server for one session (handshake) or one request (2026-07-28). */
  build(facts: RequestFacts, era: "legacy" | "modern"): Server;
  /** Told of a request that brought a token and was refused before the protocol. `caller` only where the token was known. */
  onRefused?(reason: string, remote: Remote, caller?: string): void;
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly sessionLimits?: LegacyOptions["limits"];
  /** Default 64. */
  readonly requestsPerCaller?: number;
  /** Further values of `Host`, and of `Origin` behind `http://`, that are ours: for a proxy of a test. */
  readonly extraHosts?: readonly string[];
}

export interface McpEndpoint {
  readonly port: number;
  /** Address of the default connection's endpoint. */
  readonly url: string;
  readonly sessionCount: number;
  /** The tools, or somebody's permissions, have changed: clients of both eras are told. */
  toolsChanged(): void;
  /** A caller's token is gone or has changed: its sessions end, its requests under way are aborted. */
  dropCaller(name: string): Promise<void>;
  /** A connection is no longer there: its sessions end, once requests under way had a moment to be answered. */
  dropConnection(id: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The agents' door: one HTTP server on loopback that looks at Host, Origin, path and token before it reads a body, and
 * only then speaks the protocol, in both eras.
 * @throws NoFreePort
 */
export async function startMcpEndpoint(options: EndpointOptions): Promise<McpEndpoint> {
  const modern = createMcpHandler((context) => options.build(factsOf(context.authInfo), "modern"), {
    legacy: "reject",
    maxSubscriptions: MAX_SUBSCRIPTIONS,
  });
  const modernNode = toNodeHandler(modern);
  const legacy = legacySessions({
    build: (request) => options.build(factsOf(request.auth), "legacy"),
    clock: options.clock ?? systemClock,
    ...(options.sessionLimits === undefined ? {} : { limits: options.sessionLimits }),
  });
  const underWay = new Map<ServerResponse, { readonly caller: string; readonly gone: AbortController }>();
  /** Requests that will be answered, not streams that stay open, and the connection they are on. */
  const posts = new Map<ServerResponse, string>();

  async function handle(request: IncomingMessage, response: ServerResponse, at: ListeningAt): Promise<void> {
    const admission = guardRequest(request, policyAt(at, options));
    if (!admission.ok) return refuse(request, response, admission, options);
    const { caller: authenticated } = admission;
    if (authenticated === undefined) throw new Error("an anonymous request on a route that needs a token");
    const { caller, tokenId } = authenticated;
    if (!grants(caller.permissions, "mcp.call")) {
      const reason = "missing permission mcp.call";
      return refuse(request, response, { ok: false, status: 403, headers: {}, reason }, options, caller.name);
    }
    const connection = options.connection(connectionId(admission.path));
    if (connection === undefined) {
      return refuse(
        request,
        response,
        { ok: false, status: 404, headers: {}, reason: "no such connection" },
        options,
      );
    }

    const own = [...underWay.values()].filter((one) => one.caller === caller.name).length;
    if (own >= (options.requestsPerCaller ?? REQUESTS_PER_CALLER)) {
      drain(request, MAX_BODY_BYTES);
      return sendRpcError(response, 429, -32_000, `${own} requests are already under way`, RETRY);
    }
    const gone = new AbortController();
    underWay.set(response, { caller: caller.name, gone });
    response.once("close", () => {
      underWay.delete(response);
      if (!response.writableFinished) gone.abort(new Error("the caller has gone"));
    });
    const facts: RequestFacts = { caller, tokenId, remote: remoteOf(request), connection, gone: gone.signal };
    const admitted = Object.assign(request, { auth: toAuthInfo(facts) });
    const owner = { tokenId, caller: caller.name, connection };
    if (request.method !== "POST") return legacy.handle(admitted, response, undefined, owner);
    posts.set(response, connection);
    response.once("close", () => posts.delete(response));
    return post(admitted, response, owner);
  }

  async function post(
    request: LegacyRequest,
    response: ServerResponse,
    owner: Parameters<LegacySessions["handle"]>[3],
  ) {
    const body = await readJson(request, { maxBytes: MAX_BODY_BYTES });
    if (!body.ok) {
      const code = body.problem === "not-json" ? -32_700 : -32_000;
      return sendRpcError(response, body.status, code, body.message);
    }
    const era = classifyInboundRequest({ httpMethod: "POST", body: body.value, ...protocolHeaders(request) });
    if (era.kind === "legacy") return legacy.handle(request, response, body.value, owner);
    // A request that passed the guard has a method and a target.
    return modernNode(request as LegacyRequest & { method: string; url: string }, response, body.value);
  }

  const http = await listen(
    (at) => async (request, response) => {
      try {
        await handle(request, response, at);
      } catch (cause) {
        if (!(cause instanceof BodyAborted)) throw cause; // nobody is left to answer
      }
    },
    {
      port: options.ports,
      errorBody,
      ...(options.onError === undefined ? {} : { onError: options.onError }),
    },
  );

  return {
    port: http.port,
    url: http.url + PATH,
    get sessionCount() {
      return legacy.count;
    },
    toolsChanged() {
      modern.notify.toolsChanged();
      legacy.toolsChanged();
    },
    async dropCaller(name) {
      for (const [response, { caller, gone }] of underWay) {
        if (caller !== name) continue;
        gone.abort(new Error("the token was revoked"));
        response.destroy(); // streams too: nothing more is told to whoever held the token
      }
      await legacy.drop((owner) => owner.caller === name);
      modern.notify.toolsChanged();
    },
    async dropConnection(id) {
      await lastAnswers(
        [...posts].filter(([, connection]) => connection === id).map(([response]) => response),
      );
      await legacy.drop((owner) => owner.connection === id);
      modern.notify.toolsChanged();
    },
    async close() {
      await lastAnswers([...posts.keys()]);
      await legacy.close();
      await modern.close();
      await http.close();
    },
  };
}

/** Whoever has just been told that the app ends should hear it. */
async function lastAnswers(posts: readonly ServerResponse[]): Promise<void> {
  const all = posts.map((response) => new Promise<void>((done) => response.once("close", () => done())));
  await within(Promise.all(all), LAST_ANSWERS_MS, systemClock);
}

function policyAt(at: ListeningAt, options: EndpointOptions): GuardPolicy<Authenticated> {
  const methods = ["GET", "POST", "DELETE"];
  const hosts = [at.host, ...(options.extraHosts ?? [])];
  return {
    hosts: new Set(hosts),
    allowedOrigins: new Set(hosts.map((host) => `http://${host}`)),
    routes: [
      { path: PATH, methods },
      { under: `${PATH}/`, methods },
    ],
    authenticate: (token) => options.authenticate(token),
  };
}

const RETRY = { "retry-after": "1" };

/** `/mcp` is undefined, the default; `/mcp/<id>` is the id; anything longer is the name of no connection. */
const connectionId = (path: string): string | undefined =>
  path === PATH ? undefined : path.slice(PATH.length + 1);

const errorBody: ErrorBody = (text) => rpcError(-32_000, text);

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  options: EndpointOptions,
  caller?: string,
): void {
  if (refusal.cause !== undefined) options.onError?.(refusal.cause);
  // Without a token nobody is at the other end whom a row could name: every web page can send such requests.
  if ((request.headers.authorization ?? "") !== "")
    options.onRefused?.(refusal.reason, remoteOf(request), caller);
  sendRefusal(request, response, refusal, errorBody);
}

function protocolHeaders(request: IncomingMessage) {
  const one = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const version = one("mcp-protocol-version");
  const method = one("mcp-method");
  const name = one("mcp-name");
  return {
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  };
}
