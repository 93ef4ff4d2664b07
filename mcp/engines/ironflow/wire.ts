import type * as z from "zod/v4";
import type { Call } from "../../upstream/http.ts";
import { readAnswer } from "../../upstream/answer.ts";
import { Surfaces } from "./surfaces.ts";
import { HttpClient, type HttpOptions, type HttpRequest } from "../../upstream/http.ts";
import { answerError } from "../../upstream/http-errors.ts";
import { ENGINE_HINTS } from "../../upstream/hints.ts";
import { isMissingRestRoute, notServed } from "./missing.ts";

/** The ways to one engine. */
export type Wire = { readonly http: HttpClient; readonly surfaces: Surfaces };

export type EngineOptions = Pick<HttpOptions, "baseUrl" | "limits"> & {
  readonly apiKey?: string | undefined;
};

export function openWire({ apiKey, ...options }: EngineOptions): Wire {
  const peer = { name: "the engine", hints: ENGINE_HINTS };
  const http = new HttpClient({ ...options, peer, bearer: apiKey });
  return { http, surfaces: new Surfaces(http) };
}

export type RestRequest = HttpRequest & {
  /** The path names one record, so a 404 with an error object means that record and not the route. */
  readonly namesRecord?: true;
};

/** A call that exists on REST only, in both eras. @throws ToolFailure, `unimplemented` where the engine has no such route */
export async function restCall<Schema extends z.ZodType>(
  wire: Wire,
  request: RestRequest,
  schema: Schema,
  call: Call,
): Promise<z.output<Schema>> {
  const answer = await wire.http.send(request, call);
  const [route = request.path] = request.path.split("?");
  if (isMissingRestRoute(answer, request.namesRecord)) throw notServed(`${request.method} ${route}`);
  if (answer.status < 200 || answer.status >= 300) throw answerError(wire.http.peer, request, answer);
  return readAnswer(schema, answer.text, answerTo(`${request.method} ${route}`));
}

/** What `readAnswer` calls an answer of the engine. */
export const answerTo = (call: string): string => `the engine's answer to ${call}`;

/** A query string, with its question mark, of the fields that are set. */
export function query(fields: Record<string, string | number | undefined>): string {
  const set = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) set.set(key, String(value));
  return set.size === 0 ? "" : `?${set.toString()}`;
}
