import { randomBytes } from "node:crypto";
import { poll } from "../../loopback/testing/poll.ts";
import { answerPush, type Handler } from "../demo/steps.ts";
import {
  createFunctionServer,
  type AnyHandler,
  type FunctionServer,
  type RawHandler,
} from "../testing/function-server.ts";
import { createTraces } from "./cleanup.ts";
import { NotOffered } from "./row.ts";

export type Body = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON; undefined when it is none. */
  json: unknown;
}

/** What a function under test does: steps, an answer of its own, or an HTTP status without one. */
export type Behaviour = Handler | RawHandler | { status(): number };

export interface TargetOptions {
  /** Address of the server, without a slash at its end. */
  url: string;
  /** Undefined for a server that wants none. */
  apiKey: string | undefined;
  /** What the server signs its calls with, when known. */
  signingKey: string | undefined;
  /** Sees every answer, as the rows get it. */
  onAnswer?: (method: string, path: string, answer: Answer) => void;
}

/**
 * The server under test and push functions on loopback for it to call. Names are fresh, so that a server with data of its
 * own can be tested too; `close` takes away what the rows made there. Events stay: no call deletes one.
 */
export interface Target extends TargetOptions {
  functions: FunctionServer;
  /** A name that nobody else uses. */
  name(stem: string): string;
  raw(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** A Connect call that has to succeed. `ListRuns` or `PubSubService/Emit`. @throws NotOffered, Error */
  rpc(method: string, message: unknown): Promise<Body>;
  /** A Connect call that has to fail with this code. The error's message. */
  rpcFails(method: string, message: unknown, code: string): Promise<string>;
  /** REST calls that have to succeed. */
  get(path: string): Promise<unknown>;
  send(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Body>;
  /** A REST call that has to fail with this status. The error text. */
  restFails(method: string, path: string, status: number, body?: unknown): Promise<string>;
  /** Registers a push function whose id is fresh and, unless `config` has triggers, the name of the event it takes. */
  define(stem: string, behaviour: Behaviour, config?: Body): Promise<string>;
  emit(event: string, data?: unknown): Promise<{ eventId: string; runIds: string[] }>;
  /** Emits and gives the one run it started. */
  start(event: string, data?: unknown): Promise<string>;
  run(id: string): Promise<Body>;
  steps(runId: string): Promise<Body[]>;
  /** Waits until the run has this status (`completed`). */
  reaches(runId: string, status: string): Promise<Body>;
  /** Waits for the run of a function that is there or comes. */
  runOf(functionId: string): Promise<Body>;
  /** Removes what the rows made, as far as the server lets it; what is left, one line each. */
  close(): Promise<string[]>;
}

/** What a wait inside a row may take, ms. */
export const WAIT_MS = 40_000;

const retry = { maxAttempts: 3, initialDelayMs: 30, backoffFactor: 1, maxDelayMs: 1_000 };

export async function createTarget(options: TargetOptions): Promise<Target> {
  const handlers: Record<string, AnyHandler> = {};
  const functions = await createFunctionServer(handlers);
  const prefix = `cf${randomBytes(4).toString("hex")}`;
  let names = 0;

  const raw: Target["raw"] = async (method, path, { body, headers = {} } = {}) => {
    traces.watch(method, path, body);
    const response = await fetch(options.url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(WAIT_MS * 2),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, text, json: parse(text) };
    options.onAnswer?.(method, path, answer);
    return answer;
  };
  const traces = createTraces(prefix, raw);
  const call = (method: string, message: unknown) =>
    raw("POST", `/ironflow.v1.${method.includes("/") ? method : `IronflowService/${method}`}`, {
      body: message,
    });

  const rpc: Target["rpc"] = async (method, message) => {
    const answer = await call(method, message);
    throwIfNotOffered(method, answer);
    if (answer.status !== 200) throw unexpected(method, answer);
    return answer.json as Body;
  };
  const send: Target["send"] = async (method, path, body, headers) => {
    const answer = await raw(method, path, { body, ...(headers === undefined ? {} : { headers }) });
    throwIfNotOffered(`${method} ${path}`, answer);
    if (answer.status < 200 || answer.status > 299) throw unexpected(`${method} ${path}`, answer);
    return (answer.json ?? {}) as Body;
  };
  const emit: Target["emit"] = async (event, data = {}) => {
    const { eventId, runIds } = await rpc("Emit", { event, data });
    return { eventId: String(eventId), runIds: (runIds ?? []) as string[] };
  };
  const run = (id: string) => rpc("GetRun", { id });

  return {
    ...options,
    functions,
    name: (stem) => `${prefix}-${(names += 1)}-${stem}`,
    raw,
    rpc,
    rpcFails: async (method, message, code) => {
      const answer = await call(method, message);
      throwIfNotOffered(method, answer);
      const body = answer.json as Body | undefined;
      if (answer.status < 400 || body?.["code"] !== code)
        throw unexpected(`${method}, wanted ${code}`, answer);
      return String(body["message"]);
    },
    get: async (path) => send("GET", path, undefined),
    send,
    restFails: async (method, path, status, body) => {
      const answer = await raw(method, path, { body });
      if (status !== 404) throwIfNotOffered(`${method} ${path}`, answer);
      if (answer.status !== status) throw unexpected(`${method} ${path}, wanted ${status}`, answer);
      const { error, message } = (answer.json ?? {}) as Body;
      if (typeof error !== "string" && typeof message !== "string")
        throw unexpected(`${method} ${path}, wanted a text in "error"`, answer);
      return String(error ?? message);
    },
    define: async (stem, behaviour, config = {}) => {
      names += 1;
      const id = `${prefix}-${names}-${stem}`;
      handlers[id] = toHandler(behaviour);
      await rpc("RegisterFunction", {
        id,
        triggers: [{ event: id }],
        endpointUrl: functions.endpoint(id),
        preferredMode: "EXECUTION_MODE_PUSH",
        retry,
        ...config,
      });
      return id;
    },
    emit,
    start: async (event, data) => {
      const { runIds } = await emit(event, data);
      const [id] = runIds;
      if (id === undefined || runIds.length > 1) throw new Error(`${event} started ${runIds.length} runs`);
      return id;
    },
    run,
    steps: async (runId) => ((await rpc("GetRunSteps", { runId }))["steps"] ?? []) as Body[],
    reaches: (runId, status) => {
      const wanted = `RUN_STATUS_${status.toUpperCase()}`;
      let seen: unknown;
      return poll(
        `run of ${runId} ${wanted}`,
        async () => {
          const row = await run(runId);
          seen = row["status"];
          return seen === wanted && row;
        },
        WAIT_MS,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}; it was ${String(seen)}`, { cause: error });
      });
    },
    runOf: (functionId) =>
      poll(
        `a run of ${functionId}`,
        async () => ((await rpc("ListRuns", { functionId }))["runs"] as Body[] | undefined)?.[0],
        WAIT_MS,
      ),
    close: async () => {
      try {
        return await traces.remove();
      } finally {
        await functions.close();
      }
    },
  };
}

function toHandler(behaviour: Behaviour): AnyHandler {
  if (typeof behaviour === "function") return { answer: (request) => answerPush(request, behaviour) };
  return "status" in behaviour ? () => behaviour.status() : behaviour;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** 501, or a 404 that is not about a thing that is missing: the server has no such route, method or option. */
function throwIfNotOffered(what: string, answer: Answer): void {
  const body = (answer.json ?? {}) as Body;
  const known = body["code"] === "not_found" || /not (found|registered)/.test(textOf(body));
  const unknownRoute = answer.status === 404 && (body["code"] === "unimplemented" || !known);
  if (answer.status === 501 || answer.status === 405 || unknownRoute)
    throw new NotOffered(`${what}: ${answer.status} ${textOf(body)}`);
}

function textOf(body: Body): string {
  const text = body["message"] ?? body["error"];
  return typeof text === "string" ? text : "";
}

function unexpected(what: string, { status, text }: Answer): Error {
  return new Error(`${what}: answered ${status} ${text.slice(0, 300)}`);
}
