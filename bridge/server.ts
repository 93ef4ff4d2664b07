import type { IncomingMessage, ServerResponse } from "node:http";
import type * as z from "zod/v4";
import { BodyAborted, drain, readJson } from "../loopback/body.ts";
import { guardRequest, type Admission, type GuardPolicy } from "../loopback/guard.ts";
import { listen, type LoopbackServer } from "../loopback/listen.ts";
import { sendRefusal, type ErrorBody, type RefusedStatus } from "../loopback/refusal.ts";
import { sameToken } from "../loopback/token.ts";
import {
  InputRequest,
  OutputQuery,
  ResizeRequest,
  RunRequest,
  SessionId,
  type BridgeError,
  type InputResponse,
  type OutputResponse,
  type ResizeResponse,
  type StopResponse,
  type TerminalSession,
} from "./contract/api.ts";
import { PastTheEnd } from "./output-log.ts";
import { problemOf } from "./problem.ts";
import { TooManySessions, type Sessions } from "./sessions.ts";

/** The longest command with every character escaped, and an environment as large as a system takes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** `stop` expects no body; who sends more than this with it is cut off. */
const MAX_IGNORED_BODY_BYTES = 64 * 1024;
const SESSIONS = "/v1/sessions";
const ONE_SESSION = /^\/v1\/sessions\/([^/]+)\/(output|stop|input|resize)$/;

export interface ServerOptions {
  /** Every request must bring it. */
  token: string;
  sessions: Sessions;
  /** Faults of ours; whoever asked was answered 500. */
  onError: (error: unknown) => void;
}

interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Serves contract/api.ts on 127.0.0.1, on a port of the system's choice. */
export function serve(options: ServerOptions): Promise<LoopbackServer> {
  const { token, sessions, onError } = options;
  return listen(
    ({ host }) => {
      const policy: GuardPolicy<true> = {
        hosts: new Set([host]),
        allowedOrigins: new Set(),
        routes: [
          { path: SESSIONS, methods: ["GET", "POST"] },
          { under: `${SESSIONS}/`, methods: ["GET", "POST"] },
        ],
        authenticate: (given) => (sameToken(given, token) ? true : undefined),
      };
      return async (request, response) => {
        const admitted = guardRequest(request, policy);
        if (!admitted.ok) {
          sendRefusal(request, response, admitted, errorBody);
          return;
        }
        try {
          const gone = new AbortController();
          response.once("close", () => {
            gone.abort();
          });
          send(response, await answer(request, admitted, sessions, gone.signal));
        } catch (error) {
          // Nobody is left to answer; anything else is a fault of ours.
          if (!(error instanceof BodyAborted)) throw error;
        }
      };
    },
    { errorBody, onError },
  );
}

const REFUSED: Readonly<Record<RefusedStatus, string>> = {
  400: "bad_request",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  413: "too_large",
  415: "unsupported_media_type",
  417: "expectation_failed",
  431: "headers_too_large",
  500: "internal",
};

const errorBody: ErrorBody = (error, status) => ({ error, code: REFUSED[status] }) satisfies BridgeError;

async function answer(
  request: IncomingMessage,
  { path, query }: Admission<true>,
  sessions: Sessions,
  gone: AbortSignal,
): Promise<Answer> {
  if (path === SESSIONS && query !== "") return refused(400, "bad_request", "this path takes no query");
  if (path === SESSIONS)
    return request.method === "POST"
      ? run(request, sessions)
      : { status: 200, body: { sessions: sessions.listAll() } };

  const [, encodedId, what] = ONE_SESSION.exec(path) ?? [];
  if (encodedId === undefined) return refused(404, "not_found", "no such path");
  const id = SessionId.safeParse(encodedId);
  if (!id.success) return refused(400, "bad_request", `session_id: ${problemOf(id.error)}`);
  const allowed = what === "output" ? "GET" : "POST";
  if (request.method !== allowed)
    return { ...refused(405, "method_not_allowed", `use ${allowed}`), headers: { allow: allowed } };
  if (what === "output") return output(id.data, query, sessions, gone);
  if (query !== "") return refused(400, "bad_request", "this path takes no query");
  if (what === "input") return input(request, id.data, sessions);
  if (what === "resize") return resize(request, id.data, sessions);
  return stop(request, id.data, sessions);
}

/** The body, parsed; or the refusal. */
async function bodyOf<T>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
): Promise<{ ok: true; value: T } | { ok: false; answer: Answer }> {
  const body = await readJson(request, { maxBytes: MAX_BODY_BYTES });
  if (!body.ok)
    return { ok: false, answer: refused(body.status, body.problem.replaceAll("-", "_"), body.message) };
  const parsed = schema.safeParse(body.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, answer: refused(400, "bad_request", problemOf(parsed.error)) };
}

async function input(request: IncomingMessage, id: string, sessions: Sessions): Promise<Answer> {
  const body = await bodyOf(request, InputRequest);
  if (!body.ok) return body.answer;
  const taken = sessions.lost(id) === undefined ? sessions.type(id, body.value.text) : false;
  if (taken === undefined) return noSession(id);
  return { status: 200, body: { session_id: id, taken } satisfies InputResponse };
}

async function resize(request: IncomingMessage, id: string, sessions: Sessions): Promise<Answer> {
  const body = await bodyOf(request, ResizeRequest);
  if (!body.ok) return body.answer;
  const size = sessions.lost(id)?.size ?? sessions.resize(id, body.value);
  if (size === undefined) return noSession(id);
  return { status: 200, body: { session_id: id, size } satisfies ResizeResponse };
}

async function run(request: IncomingMessage, sessions: Sessions): Promise<Answer> {
  const body = await bodyOf(request, RunRequest);
  if (!body.ok) return body.answer;
  try {
    return { status: 201, body: await sessions.run(body.value) };
  } catch (error) {
    if (error instanceof TooManySessions) return refused(429, "too_many_sessions", error.message);
    throw error;
  }
}

async function output(id: string, query: string, sessions: Sessions, gone: AbortSignal): Promise<Answer> {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys())
    if (parameters.getAll(name).length > 1)
      return refused(400, "bad_request", `${name}: given more than once`);
  const parsed = OutputQuery.safeParse(Object.fromEntries(parameters));
  if (!parsed.success) return refused(400, "bad_request", problemOf(parsed.error));
  if ((parsed.data.wait_for === "text") !== (parsed.data.text !== undefined))
    return refused(400, "bad_request", "text: goes with wait_for=text, and that with text");
  const lost = sessions.lost(id);
  if (lost !== undefined) return { status: 200, body: outputOfLost(lost, parsed.data) };
  try {
    const read = await sessions.answer(id, parsed.data, gone);
    return read === undefined ? noSession(id) : { status: 200, body: read };
  } catch (error) {
    if (error instanceof PastTheEnd) return refused(400, "bad_request", `offset: ${error.message}`);
    throw error;
  }
}

async function stop(request: IncomingMessage, id: string, sessions: Sessions): Promise<Answer> {
  drain(request, MAX_IGNORED_BODY_BYTES);
  if (sessions.lost(id) !== undefined)
    return {
      status: 200,
      body: { session_id: id, outcome: "already_ended", alive: 0 } satisfies StopResponse,
    };
  const seen = await sessions.stop(id, { by: "its agent" });
  return seen === undefined ? noSession(id) : { status: 200, body: seen };
}

/** What is read of a session whose bridge crashed: nothing of its output is left, however far it was read before. */
function outputOfLost(session: TerminalSession, { offset }: OutputQuery): OutputResponse {
  const { session_id, status, exit_code, signal, reason, output_bytes } = session;
  // It may have been read further than main was told that it had printed.
  const asked = Math.min(offset, output_bytes);
  const told = "The terminal bridge crashed: what it had printed is gone.";
  return {
    session_id,
    output: "",
    offset: output_bytes,
    next: output_bytes,
    has_more: false,
    dropped: output_bytes - asked,
    status,
    exit_code,
    signal,
    reason: reason === null ? told : `${reason} ${told}`,
  };
}

function noSession(id: string): Answer {
  return refused(
    404,
    "no_such_session",
    `session_id: there is no terminal ${id}; it was closed, or never there`,
  );
}

function refused(status: number, code: string, error: string): Answer {
  return { status, body: { error, code } satisfies BridgeError };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(JSON.stringify(body));
}
