import type { IncomingMessage, ServerResponse } from "node:http";
import { hashToken } from "../../loopback/token.ts";
import { guardRequest, type GuardPolicy, type Refusal } from "../../loopback/guard.ts";
import type { ListeningAt, RequestHandler } from "../../loopback/listen.ts";
import { BodyAborted, readBody } from "../../loopback/body.ts";
import { isShallow } from "../../loopback/json-depth.ts";
import { sendRefusal } from "../../loopback/refusal.ts";
import { RunId } from "../contract/ids.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { encodeJson, MAX_JSON_DEPTH, readJson } from "../json/json-text.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import type { Call, ServerFacts } from "./call.ts";
import { CONNECT_PREFIX, connectMethods } from "./connect/methods.ts";
import { toProblem } from "./problem.ts";
import { fromProtojson, toProtojson } from "./protojson.ts";
import { findRoute, restRoutes } from "./rest/routes.ts";

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface DoorOptions {
  core: Core;
  server: ServerFacts;
  /** The environment that a caller without a key speaks for (`--dev`). */
  environment: EnvironmentRow;
}

/** Who may come in: this address only, no web page, and (unless `--dev`) a key, but for health and capabilities. */
export function policyAt(at: ListeningAt, options: DoorOptions): GuardPolicy<EnvironmentRow> {
  const open = options.server.authRequired ? {} : { anonymous: true as const };
  const rest = { methods: ["GET", "POST", "PUT", "PATCH", "DELETE"], ...open };
  return {
    hosts: new Set([at.host, `localhost:${at.port}`]),
    allowedOrigins: new Set(),
    routes: [
      ...restRoutes
        .filter((route) => route.open === true)
        .map((route) => ({ path: route.path, methods: [route.method], anonymous: true as const })),
      { under: "/api/", ...rest },
      {
        under: CONNECT_PREFIX,
        methods: ["POST"],
        bodyTypes: ["application/json", "application/connect+json"],
        ...open,
      },
    ],
    authenticate: (token) => options.core.store.environments.environmentOfKey(hashToken(token)),
  };
}

/** Answers one request: guard, then body, then the method or route. */
export function createDoor(at: ListeningAt, options: DoorOptions): RequestHandler {
  const policy = policyAt(at, options);
  return async (request, response) => {
    const admission = guardRequest(request, policy);
    const connect = (request.url ?? "").startsWith(CONNECT_PREFIX);
    if (!admission.ok) {
      sendRefusal(request, response, admission, (text) => refusalBody(text, admission, connect));
      return;
    }
    try {
      const call = callOf(request, options, admission.caller ?? options.environment);
      if (connect) await serveConnect(request, response, call, admission.path);
      else await serveRest(request, response, call, admission.path, admission.query);
    } catch (error) {
      if (error instanceof BodyAborted) return; // nobody is left to answer
      const problem = toProblem(error);
      if (problem.internal) options.core.log.error({ err: error, path: admission.path }, "a call failed");
      const { code, message } = problem;
      send(response, statusOf(problem, connect), connect ? { code, message } : { error: message, code });
    }
  };
}

/** REST answers 404 where Connect says 501: a client that probes takes both as "not here". */
function statusOf(problem: { code: string; status: number }, connect: boolean): number {
  return problem.code === "unimplemented" && !connect ? 404 : problem.status;
}

function refusalBody(text: string, refusal: Refusal, connect: boolean): unknown {
  const codes: Record<Refusal["status"], string> = {
    400: "invalid_argument",
    401: "unauthenticated",
    403: "permission_denied",
    404: "unimplemented",
    405: "unimplemented",
    415: "invalid_argument",
    500: "internal",
  };
  const code = codes[refusal.status];
  return connect ? { code, message: text } : { error: text, code };
}

function callOf(request: IncomingMessage, options: DoorOptions, environment: EnvironmentRow): Call {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const wanted = header("x-ironflow-environment");
  if (wanted !== undefined && wanted !== environment.id && wanted !== environment.name) {
    throw new ApiError("permission_denied", "X-Ironflow-Environment: the key speaks for another environment");
  }
  const runId = RunId.optional().safeParse(header("x-ironflow-run-id"));
  if (!runId.success) throw new ApiError("invalid_argument", "X-Ironflow-Run-ID: must look like run_…");
  const idempotencyKey = header("idempotency-key");
  if (idempotencyKey !== undefined && idempotencyKey.length > 512) {
    throw new ApiError("invalid_argument", "Idempotency-Key: longer than 512 characters");
  }
  return { core: options.core, environment, runId: runId.data, idempotencyKey, server: options.server };
}

async function serveConnect(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  path: string,
): Promise<void> {
  const name = path.slice(CONNECT_PREFIX.length);
  const method = connectMethods.get(name);
  if (method === undefined) {
    send(response, 404, { code: "unimplemented", message: "no such method" });
    return;
  }
  if (request.headers["content-type"]?.startsWith("application/connect+json") === true) {
    throw new ApiError("unimplemented", "this method does not stream");
  }
  const body = (await readMessage(request)) ?? {};
  const answer = await method.run(call, fromProtojson(body, method.opaque));
  send(response, 200, toProtojson(answer));
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
  const input = { params: found.params, query: parseQuery(query), body: await readMessage(request) };
  send(response, 200, await found.route.run(call, input));
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
  const body = await readBody(request, { maxBytes: MAX_BODY_BYTES });
  if (!body.ok) {
    throw new ApiError(
      "invalid_argument",
      body.problem === "too-large" ? `body: is over ${MAX_BODY_BYTES} bytes` : "body: is not valid UTF-8",
    );
  }
  if (body.text === "") return undefined;
  if (!isShallow(body.text, MAX_JSON_DEPTH))
    throw new ApiError("invalid_argument", `body: is nested deeper than ${MAX_JSON_DEPTH}`);
  try {
    return readJson(body.text);
  } catch {
    throw new ApiError("invalid_argument", "body: is not valid JSON");
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = Buffer.from(encodeJson(body), "utf8");
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": text.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
