import type { IncomingMessage } from "node:http";
import { parseBearer } from "./token.ts";

/** A request line and its headers as they came over the wire: nothing decoded, joined or normalised. */
export interface RawRequest {
  method: string;
  /** The request target of the request line, query included. */
  target: string;
  /** Header names and values in order, duplicates kept. */
  headers: readonly (readonly [name: string, value: string])[];
}

/** One door of a server. An exact `path` wins over `under`; of several `under` the longest wins. */
export type Route = ({ path: string } | { under: `/${string}/` }) & {
  /** Upper case. Everything else is answered 405. */
  methods: readonly string[];
  /** Media types a body may have; default `application/json` only. */
  bodyTypes?: readonly string[];
  /** Needs no token (a health check). `caller` is then undefined, whatever was sent. */
  anonymous?: true;
};

export interface GuardPolicy<Caller> {
  /** The exact values `Host` may have, for instance `127.0.0.1:9123`. */
  hosts: ReadonlySet<string>;
  /** The exact values `Origin` may have. Empty: every request that carries one is refused. `null` is never allowed. */
  allowedOrigins: ReadonlySet<string>;
  routes: readonly Route[];
  /** Who holds this token? Undefined: nobody. When it throws, the request is refused with 500. */
  authenticate: (token: string) => Caller | undefined;
}

export interface Refusal {
  ok: false;
  status: 400 | 401 | 403 | 404 | 405 | 415 | 417 | 500;
  headers: Readonly<Record<string, string>>;
  /** For our log only; never sent, and never holds anything the caller sent. */
  reason: string;
  /** What `authenticate` threw, for our log only. */
  cause?: unknown;
}

export interface Admission<Caller> {
  ok: true;
  /** Undefined only on a route that is `anonymous`. */
  caller: Caller | undefined;
  /** The target's path, still percent-encoded; has no dot segment (encoded ones neither) and no empty one but the last. */
  path: string;
  /** The target's query without the question mark, "" when there is none. */
  query: string;
}

/** A token in a URL ends up in histories and logs, so a request that brings one is refused, also with the right header. */
const SECRET_PARAMETERS = new Set(
  "token accesstoken authtoken bearertoken mcptoken apitoken apikey bearer authorization auth password jwt".split(
    " ",
  ),
);
/** Decoded: a dot segment, also between encoded slashes, a backslash, NUL. */
const FORBIDDEN_IN_SEGMENT = /[\\\0]|(^|\/)\.{1,2}(\/|$)/;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Decides about a request before anything else looks at it: Host, Origin, path, token, method, expectation, content type, in
 * this order.
 * Pure; reads no body. A refusal's body (see `sendRefusal`) depends on the status alone.
 */
export function guard<Caller>(request: RawRequest, policy: GuardPolicy<Caller>): Admission<Caller> | Refusal {
  const header = (name: string) =>
    request.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  return (
    checkHost(header, policy.hosts) ??
    checkOrigin(header, policy.allowedOrigins) ??
    admit(request, header, policy)
  );
}

/** `guard` for a request of node:http, read from its raw headers: Node itself drops a second Host or Authorization. */
export function guardRequest<Caller>(
  request: IncomingMessage,
  policy: GuardPolicy<Caller>,
): Admission<Caller> | Refusal {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2)
    headers.push([request.rawHeaders[at] ?? "", request.rawHeaders[at + 1] ?? ""]);
  return guard({ method: request.method ?? "", target: request.url ?? "", headers }, policy);
}

type Header = (name: string) => string[];

function checkHost(header: Header, hosts: ReadonlySet<string>): Refusal | undefined {
  const [host, ...more] = header("host");
  if (host === undefined) return refuse(400, "no Host");
  if (more.length > 0) return refuse(400, "more than one Host");
  return hosts.has(host) ? undefined : refuse(403, "foreign Host");
}

function checkOrigin(header: Header, allowed: ReadonlySet<string>): Refusal | undefined {
  const [origin, ...more] = header("origin");
  if (more.length > 0) return refuse(400, "more than one Origin");
  if (origin !== undefined && (origin === "null" || !allowed.has(origin)))
    return refuse(403, "foreign Origin");
  // A browser sends no Origin with a plain GET, but it does say that the page which asks is not ours.
  if (header("sec-fetch-site").some((site) => site === "cross-site" || site === "same-site"))
    return refuse(403, "sent by another site's page");
  return undefined;
}

function admit<Caller>(
  request: RawRequest,
  header: Header,
  policy: GuardPolicy<Caller>,
): Admission<Caller> | Refusal {
  const target = splitTarget(request.target);
  if ("status" in target) return target;
  const route = findRoute(policy.routes, target.path);
  if (route === undefined) return refuse(404, "no such path");

  const identity = identify(header, route, policy);
  if ("status" in identity) return identity;

  if (!route.methods.includes(request.method))
    return refuse(405, "method not allowed here", { allow: route.methods.join(", ") });
  return (
    checkExpectation(header) ??
    checkBody(request.method, header, route.bodyTypes ?? ["application/json"]) ?? {
      ok: true,
      caller: identity.caller,
      path: target.path,
      query: target.query,
    }
  );
}

function splitTarget(target: string): { path: string; query: string } | Refusal {
  if (!target.startsWith("/")) return refuse(400, "target is not in origin form");
  if (!VISIBLE_ASCII.test(target) || target.includes("#") || target.includes("\\"))
    return refuse(400, "target has characters that a target cannot have");
  const path = target.replace(/\?.*$/, "");
  const query = target.slice(path.length + 1);
  const segments = path.split("/").map(decode);
  if (segments.includes(undefined)) return refuse(400, "path is not valid percent-encoded UTF-8");
  if (segments.some((segment) => FORBIDDEN_IN_SEGMENT.test(String(segment))))
    return refuse(400, "path has dot segments or characters that a path cannot have");
  if (path.includes("//")) return refuse(400, "path has an empty segment");
  for (const pair of query.split("&")) {
    const name = decode(pair.replace(/=.*$/, ""));
    if (name === undefined) return refuse(400, "query is not valid percent-encoded UTF-8");
    if (SECRET_PARAMETERS.has(name.toLowerCase().replaceAll(/[^a-z]/g, "")))
      return refuse(400, "query brings a token");
  }
  return { path, query };
}

function findRoute(routes: readonly Route[], path: string): Route | undefined {
  let best: Route | undefined;
  let length = 0;
  for (const route of routes) {
    if ("path" in route) {
      if (route.path === path) return route;
    } else if (path.startsWith(route.under) && route.under.length > length) {
      best = route;
      length = route.under.length;
    }
  }
  return best;
}

function identify<Caller>(
  header: Header,
  route: Route,
  policy: GuardPolicy<Caller>,
): { caller: Caller | undefined } | Refusal {
  const given = header("authorization");
  if (given.length > 1) return refuse(400, "more than one Authorization");
  if (route.anonymous === true) return { caller: undefined };
  const [authorization] = given;
  if (authorization === undefined) return refuse(401, "no token", { "www-authenticate": "Bearer" });
  const wrong = { "www-authenticate": 'Bearer error="invalid_token"' };
  const token = parseBearer(authorization);
  if (token === undefined) return refuse(401, "not a bearer token", wrong);
  try {
    const caller = policy.authenticate(token);
    return caller === undefined ? refuse(401, "unknown token", wrong) : { caller };
  } catch (cause) {
    return { ...refuse(500, "authenticate failed"), cause };
  }
}

/** The only expectation there is; Node has met it already. */
function checkExpectation(header: Header): Refusal | undefined {
  const known = header("expect").every((expected) => expected.trim().toLowerCase() === "100-continue");
  return known ? undefined : refuse(417, "unknown expectation");
}

function checkBody(method: string, header: Header, accepted: readonly string[]): Refusal | undefined {
  const lengths = header("content-length");
  const codings = header("transfer-encoding");
  // Nobody here undoes another coding, and what is not undone is not what its sender meant.
  if (codings.length > 1 || (codings[0] ?? "chunked").trim().toLowerCase() !== "chunked")
    return refuse(400, "transfer coding is not chunked");
  const hasBody = codings.length > 0 || lengths.some((length) => length.trim() !== "0");
  if (!hasBody) return undefined;
  if (method === "GET" || method === "HEAD") return refuse(400, `${method} with a body`);
  const encodings = header("content-encoding");
  if (encodings.some((encoding) => encoding.trim().toLowerCase() !== "identity"))
    return refuse(415, "encoded body");
  const [type, ...more] = header("content-type");
  if (more.length > 0) return refuse(400, "more than one Content-Type");
  return type !== undefined && isMediaType(type, accepted)
    ? undefined
    : refuse(415, "content type not accepted");
}

/** The media type must be in the list; the only parameter a JSON body may have is the charset that JSON always has. */
function isMediaType(value: string, accepted: readonly string[]): boolean {
  return value
    .toLowerCase()
    .split(";")
    .map((part) => part.trim())
    .every((part, at) => (at === 0 ? accepted.includes(part) : /^charset="?utf-8"?$/.test(part)));
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function refuse(status: Refusal["status"], reason: string, headers: Record<string, string> = {}): Refusal {
  return { ok: false, status, headers, reason };
}
