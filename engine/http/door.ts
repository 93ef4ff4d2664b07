import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { hashToken, parseBearer } from "../../loopback/token.ts";
import { guardRequest, type GuardPolicy, type Refusal } from "../../loopback/guard.ts";
import type { ListeningAt, RequestHandler } from "../../loopback/listen.ts";
import { BodyAborted, readBody, readBytes } from "../../loopback/body.ts";
import { isShallow } from "../../loopback/json-depth.ts";
import { sendRefusal, type ErrorBody, type RefusedStatus } from "../../loopback/refusal.ts";
import { parseExactJson } from "../../loopback/exact-json.ts";
import type { ConnectCode } from "../contract/errors.ts";
import { RunId } from "../contract/ids.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { apiKeyId } from "../execute/auth-events.ts";
import { encodeJson, MAX_JSON_DEPTH } from "../json/json-text.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import type { Call, ServerFacts } from "./call.ts";
import { CONNECT_PREFIX, CONNECT_SERVICES, connectMethods, connectStreams } from "./connect/methods.ts";
import { readEnvelope, serveStream } from "./connect/stream.ts";
import { toProblem } from "./problem.ts";
import type { RefusalNotes } from "./refusals.ts";
import { fromProtojson, toProtojson } from "./protojson.ts";
import { NO_CONTENT, Reply } from "./rest/route.ts";
import { findRoute, restRoutes } from "./rest/routes.ts";

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface DoorOptions {
  core: Core;
  server: ServerFacts;
  /** The environment that a caller without a key speaks for (`--dev`). */
  environment: EnvironmentRow;
  refusals: RefusalNotes;
}

/** Who may come in: this address only, no web page, and (unless `--dev`) a key, but for health, capabilities and webhooks. */
export function policyAt(at: ListeningAt, options: DoorOptions): GuardPolicy<EnvironmentRow> {
  const open = options.server.authRequired ? {} : { anonymous: true as const };
  const rest = { methods: ["GET", "POST", "PUT", "PATCH", "DELETE"], ...open };
  return {
    hosts: new Set([at.host, `localhost:${at.port}`]),
    allowedOrigins: new Set(),
    routes: [
      ...restRoutes
        .filter((route) => route.open === true)
        .map((route) => ({
          ...doorOf(route.path),
          methods: [route.method],
          anonymous: true as const,
          ...(route.bytes === undefined ? {} : { bodyTypes: route.bytes }),
        })),
      { under: "/api/", ...rest },
      { under: "/api/v1/kv/", bodyTypes: ["application/json", "application/octet-stream"], ...rest },
      ...CONNECT_SERVICES.map((service) => ({
        under: `${CONNECT_PREFIX}${service}/` as const,
        methods: ["POST"],
        bodyTypes: ["application/json", "application/connect+json"],
        ...open,
      })),
    ],
    authenticate: (token) => options.core.store.environments.environmentOfKey(hashToken(token)),
  };
}

/** A path that ends in a parameter is a door to what is under it; `findRoute` refuses what is deeper. */
function doorOf(path: string): { path: string } | { under: `/${string}/` } {
  const at = path.indexOf("{");
  return at < 0 ? { path } : { under: path.slice(0, at) as `/${string}/` };
}

/** Answers one request: guard, then body, then the method or route. */
export function createDoor(at: ListeningAt, options: DoorOptions): RequestHandler {
  const policy = policyAt(at, options);
  return async (request, response) => {
    const admission = guardRequest(request, policy);
    const connect = (request.url ?? "").startsWith(CONNECT_PREFIX);
    response.once("close", () => {
      if (response.headersSent)
        options.server.meters.answered(connect ? "connect" : "rest", response.statusCode);
    });
    if (!admission.ok) {
      noteUnknown(options, request, admission);
      sendRefusal(request, response, admission, errorBody);
      return;
    }
    try {
      const call = callOf(request, response, options, admission.caller);
      if (connect) await serveConnect(request, response, call, admission.path);
      else await serveRest(request, response, call, admission.path, admission.query);
    } catch (error) {
      if (error instanceof BodyAborted) return; // nobody is left to answer
      const problem = toProblem(error);
      if (problem.internal) options.core.log.error({ err: error, path: admission.path }, "a call failed");
      const { code, message, restCode } = problem;
      if (code === "permission_denied" && admission.caller !== undefined) {
        const key = keyIdOf(admission.caller, request);
        const { caller, path } = admission;
        options.refusals.note({ environmentId: caller.id, apiKeyId: key, path, reason: message });
      }
      const body = connect ? { code, message } : { error: message, code: restCode };
      send(response, statusOf(problem, connect), body);
    }
  };
}

/** Tells the audit of a caller whose key is not known. */
export function noteUnknown(options: DoorOptions, request: IncomingMessage, refusal: Refusal): void {
  if (refusal.status !== 401) return;
  // Without the query, where a WebSocket's token may stand.
  const path = (request.url ?? "").split("?")[0] ?? "";
  const reason = "no key, or one that is not known";
  options.refusals.note({ environmentId: options.environment.id, apiKeyId: undefined, path, reason });
}

/** REST answers 404 where Connect says 501: a client that probes takes both as "not here". */
function statusOf(problem: { code: string; status: number }, connect: boolean): number {
  return problem.code === "unimplemented" && !connect ? 404 : problem.status;
}

const REFUSED: Readonly<Record<RefusedStatus, ConnectCode>> = {
  400: "invalid_argument",
  401: "unauthenticated",
  403: "permission_denied",
  404: "unimplemented",
  405: "unimplemented",
  408: "deadline_exceeded",
  413: "invalid_argument",
  415: "invalid_argument",
  417: "invalid_argument",
  431: "invalid_argument",
  500: "internal",
};

/** What came to no door is told as REST says it. */
export const errorBody: ErrorBody = (text, status, target) => {
  const code = REFUSED[status];
  return target.startsWith(CONNECT_PREFIX) ? { code, message: text } : { error: text, code };
};

/** Of the key that a caller was let in with; undefined without one. */
function keyIdOf(caller: EnvironmentRow | undefined, request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  const token = caller !== undefined && authorization !== undefined && parseBearer(authorization);
  return typeof token === "string" ? apiKeyId(hashToken(token)) : undefined;
}

/** The engine, for somebody who writes with a key. */
function coreFor(core: Core, keyId: string | undefined): Core {
  if (keyId === undefined) return core;
  const { writer } = core;
  return { ...core, writer: { ...writer, write: (change) => writer.write(change, keyId) } };
}

function callOf(
  request: IncomingMessage,
  response: ServerResponse,
  options: DoorOptions,
  caller: EnvironmentRow | undefined,
): Call {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const environment = environmentOf(options, caller, header("x-ironflow-environment"));
  if (environment === undefined) {
    throw new ApiError(
      "permission_denied",
      caller === undefined
        ? "X-Ironflow-Environment: there is no such environment"
        : "X-Ironflow-Environment: the key speaks for another environment",
    );
  }
  const runId = RunId.optional().safeParse(header("x-ironflow-run-id"));
  if (!runId.success) throw new ApiError("invalid_argument", "X-Ironflow-Run-ID: must look like run_…");
  const idempotencyKey = header("idempotency-key");
  if (idempotencyKey !== undefined && idempotencyKey.length > 512) {
    throw new ApiError("invalid_argument", "Idempotency-Key: longer than 512 characters");
  }
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const keyId = keyIdOf(caller, request);
  return {
    core: coreFor(options.core, keyId),
    environment,
    runId: runId.data,
    idempotencyKey,
    gone: gone.signal,
    caller: keyId ?? "anonymous",
    keyId,
    servedId: options.environment.id,
    scopes: header("x-ironflow-scopes")
      ?.split(",")
      .map((scope) => scope.trim()),
    admin: environment.id === options.environment.id,
    server: options.server,
  };
}

/**
 * The environment a call is about: the key's own. A wish for another one is refused; without a key (`--dev`) it chooses.
 */
export function environmentOf(
  options: DoorOptions,
  caller: EnvironmentRow | undefined,
  wanted: string | undefined,
): EnvironmentRow | undefined {
  const own = caller ?? options.environment;
  if (wanted === undefined || wanted === own.id || wanted === own.name) return own;
  return caller === undefined ? options.core.store.environments.find(wanted) : undefined;
}

async function serveConnect(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  path: string,
): Promise<void> {
  const name = path.slice(CONNECT_PREFIX.length);
  const stream = connectStreams.get(name);
  const streamed = request.headers["content-type"]?.startsWith("application/connect+json") === true;
  if (stream !== undefined && streamed) {
    const body = await readBytes(request, { maxBytes: MAX_BODY_BYTES });
    const readInput = () => {
      if (body === "too-large") throw tooLarge();
      return fromProtojson(parseMessage(readEnvelope(body)), new Set());
    };
    const refusal = refusalOf(() => stream.admit?.(call, readInput()));
    if (refusal !== undefined) send(response, 404, { code: refusal.code, message: refusal.message });
    else await serveStream(response, (sendMessage) => stream.run(call, readInput(), sendMessage));
    return;
  }
  if (stream !== undefined) throw new ApiError("invalid_argument", "body: must be application/connect+json");
  const method = connectMethods.get(name);
  if (method === undefined) {
    send(response, 404, { code: "unimplemented", message: "no such method" });
    return;
  }
  if (streamed) {
    throw new ApiError("unimplemented", "this method does not stream");
  }
  const body = (await readMessage(request)) ?? {};
  const answer = await method.run(call, fromProtojson(body, method.opaque));
  send(response, 200, toProtojson(answer));
}

/** A stream that is not offered now is a 404, as a method that is not there; every other error is told in the stream. */
function refusalOf(admit: () => void): ApiError | undefined {
  try {
    admit();
    return undefined;
  } catch (error) {
    return error instanceof ApiError && error.code === "unimplemented" ? error : undefined;
  }
}

async function serveRest(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  path: string,
  query: string,
): Promise<void> {
  const found = findRoute(request.method ?? "", path);
  if (found === undefined || found === "wrong-method") {
    const error = found === undefined ? "not found" : "method not allowed";
    send(response, found === undefined ? 404 : 405, { error, code: "unimplemented" });
    return;
  }
  const input = {
    params: found.params,
    query: parseQuery(query),
    body: found.route.bytes !== undefined ? await readValue(request) : await readMessage(request),
    preconditions: {
      ifMatch: request.headers["if-match"],
      ifNoneMatch: request.headers["if-none-match"],
    },
    headers: request.headers,
  };
  const answer = await found.route.run(call, input);
  if (answer === NO_CONTENT) response.writeHead(204, { "cache-control": "no-store" }).end();
  else if (answer instanceof Reply) write(response, answer.status, answer.contentType, answer.text);
  else send(response, 200, answer);
}

function parseQuery(query: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(values, name)) throw new ApiError("invalid_argument", `${name}: given twice`);
    Object.defineProperty(values, name, { value, enumerable: true });
  }
  return values;
}

/** The body's JSON value; `undefined` when there is no body. */
async function readMessage(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  return text === "" ? undefined : parseMessage(text);
}

/** The body's bytes. A body that says it is JSON has to be, so that whoever reads it later can. */
async function readValue(request: IncomingMessage): Promise<Buffer> {
  const body = await readBytes(request, { maxBytes: MAX_BODY_BYTES });
  if (body === "too-large") throw tooLarge();
  if (request.headers["content-type"]?.startsWith("application/json") === true) {
    parseMessage(decodeText(body));
  }
  return body;
}

/** @throws ApiError */
function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ApiError("invalid_argument", "body: is not valid UTF-8");
  return bytes.toString("utf8");
}

/** @throws ApiError that says what is wrong with a message's JSON text */
export function parseMessage(text: string): unknown {
  if (!isShallow(text, MAX_JSON_DEPTH)) {
    throw new ApiError("invalid_argument", `body: is nested deeper than ${MAX_JSON_DEPTH}`);
  }
  try {
    return parseExactJson(text);
  } catch {
    throw new ApiError("invalid_argument", "body: is not valid JSON");
  }
}

const tooLarge = () => new ApiError("invalid_argument", `body: is over ${MAX_BODY_BYTES} bytes`);

async function readText(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, { maxBytes: MAX_BODY_BYTES });
  if (!body.ok) {
    throw body.problem === "too-large"
      ? tooLarge()
      : new ApiError("invalid_argument", "body: is not valid UTF-8");
  }
  return body.text;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  write(response, status, "application/json", encodeJson(body));
}

function write(response: ServerResponse, status: number, contentType: string, body: string): void {
  const text = Buffer.from(body, "utf8");
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": text.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
