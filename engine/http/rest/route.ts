import type { IncomingHttpHeaders } from "node:http";
import * as z from "zod/v4";
import type { Call } from "../call.ts";

export interface RestInput {
  params: Record<string, string>;
  query: unknown;
  /** The parsed JSON body; `undefined` when there was none. For a route of `bytes` the body as it came. */
  body: unknown;
  preconditions: Preconditions;
  headers: IncomingHttpHeaders;
}

/** What must hold for a write to be made. */
export interface Preconditions {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

export type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A handler answers this for 204: there is nothing to say. */
export const NO_CONTENT = Symbol("204");

/** One REST route. `path` has `{name}` segments; its answer is written as it is. */
export interface RestRoute {
  method: Verb;
  path: string;
  /** Answered without a key. */
  open?: true;
  /** The media types of a body that is not read as JSON (but must be that when its type says so). */
  bytes?: readonly string[];
  docs: RouteDocs;
  /** @throws ZodError, ApiError */
  run(call: Call, input: RestInput): unknown;
}

/** What `openapi.json` says of a route. */
export interface RouteDocs {
  summary: string;
  query?: z.ZodType | undefined;
  body?: z.ZodType | undefined;
  /** The answer on the wire; none where it can be anything. */
  answer?: z.ZodType | undefined;
  /** The answer is text, not JSON. */
  text?: boolean | undefined;
}

/** An answer with a status or a type of its own. */
export class Reply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  constructor(status: number, contentType: string, text: string) {
    this.status = status;
    this.contentType = contentType;
    this.text = text;
  }
}

/** Ties the schemas of query and body to a handler. A route that names no schema takes no such input. */
export function route<Query extends z.ZodType, Body extends z.ZodType>(spec: {
  method: Verb;
  path: string;
  open?: true;
  query?: Query;
  body?: Body;
  /** What it is for, in a few words. */
  summary: string;
  answer?: z.ZodType;
  text?: true;
  run(
    call: Call,
    input: {
      params: Record<string, string>;
      query: z.output<Query>;
      body: z.output<Body>;
      preconditions: Preconditions;
    },
  ): unknown;
}): RestRoute {
  const nothing = z.strictObject({});
  const query = spec.query ?? nothing;
  const body = spec.body ?? nothing;
  return {
    method: spec.method,
    path: spec.path,
    ...(spec.open === undefined ? {} : { open: spec.open }),
    docs: {
      summary: spec.summary,
      query: spec.query,
      body: spec.body,
      answer: spec.answer,
      text: spec.text,
    },
    run: (call, input) =>
      spec.run(call, {
        params: input.params,
        // What `nothing` lets through is an empty object; a handler without schema does not look at it.
        query: query.parse(input.query) as z.output<Query>,
        body: body.parse(input.body ?? {}) as z.output<Body>,
        preconditions: input.preconditions,
      }),
  };
}

/** A route whose body is a value of its own, byte for byte. */
export function bytesRoute<Query extends z.ZodType>(spec: {
  method: Verb;
  path: string;
  open?: true;
  /** Default: JSON and bytes. */
  bodyTypes?: readonly string[];
  query: Query;
  /** What it is for, in a few words. */
  summary: string;
  answer?: z.ZodType;
  run(
    call: Call,
    input: {
      params: Record<string, string>;
      query: z.output<Query>;
      body: Buffer;
      preconditions: Preconditions;
      headers: IncomingHttpHeaders;
    },
  ): unknown;
}): RestRoute {
  return {
    method: spec.method,
    path: spec.path,
    ...(spec.open === undefined ? {} : { open: spec.open }),
    bytes: spec.bodyTypes ?? ["application/json", "application/octet-stream"],
    docs: { summary: spec.summary, query: spec.query, answer: spec.answer },
    run: (call, { query, body, ...rest }) =>
      spec.run(call, { ...rest, query: spec.query.parse(query), body: body as Buffer }),
  };
}
