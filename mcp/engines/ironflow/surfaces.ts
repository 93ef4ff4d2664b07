import { ConnectErrorBody } from "../../../engine/contract/errors.ts";
import type { Call } from "../../upstream/http.ts";
import { toText } from "../../upstream/wire-json.ts";
import type { Effect, HttpAnswer, HttpClient, HttpRequest } from "../../upstream/http.ts";
import { answerError, parseObject } from "../../upstream/http-errors.ts";
import { isMissingRestRoute, isPage, notServed } from "./missing.ts";

/** One operation on both surfaces of the engine; `rest` is the twin that the older era had, where it had one. */
export type Operation = {
  /** `IronflowService/ListRuns`, without the package. */
  readonly connect: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** As in `HttpRequest`. */
  readonly deadlineMs?: number;
  readonly rest?: {
    readonly method: HttpRequest["method"];
    readonly path: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    /** The path names one record, so a 404 with an error object means that record and not the route. */
    readonly namesRecord?: true;
  };
  /** The message has fields that an older engine's Connect ignores in silence, so its REST twin is asked first. */
  readonly restFirst?: boolean;
};

export type Surface = "connect" | "rest";
export type SurfaceAnswer = { readonly surface: Surface; readonly text: string };

/**
 * Sends an operation over Connect JSON, or over REST where the engine does not serve the method: engines of the older
 * era lack some methods, those of the newer era most REST routes. What an engine lacked is remembered per method, and
 * forgotten when the other surface lacks it too (the engine behind the address was replaced).
 */
export class Surfaces {
  readonly #http: HttpClient;
  readonly #lacking = new Map<string, Surface>();

  constructor(http: HttpClient) {
    this.#http = http;
  }

  async send(operation: Operation, call: Call): Promise<SurfaceAnswer> {
    const lacking = this.#lacking.get(operation.connect);
    for (const surface of order(operation, lacking)) {
      const answer = await this.#http.send(toRequest(operation, surface), call);
      if (isMissingRoute(answer, surface, operation)) {
        this.#lacking.set(operation.connect, surface);
        continue;
      }
      if (answer.status >= 200 && answer.status < 300) return { surface, text: answer.text };
      throw answerError(this.#http.peer, toRequest(operation, surface), answer);
    }
    this.#lacking.delete(operation.connect);
    throw notServed(operation.connect);
  }
}

function order(operation: Operation, lacking: Surface | undefined): Surface[] {
  if (operation.rest === undefined) return ["connect"];
  if (lacking === "connect") return ["rest", "connect"];
  if (lacking === "rest") return ["connect", "rest"];
  return operation.restFirst === true ? ["rest", "connect"] : ["connect", "rest"];
}

function toRequest(operation: Operation, surface: Surface): HttpRequest {
  const { effect, rest, deadlineMs } = operation;
  const common = { effect, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  if (surface === "rest" && rest !== undefined)
    return {
      method: rest.method,
      path: rest.path,
      ...common,
      ...(rest.body === undefined ? {} : { body: toText(rest.body) }),
      ...(rest.headers === undefined ? {} : { headers: rest.headers }),
    };
  return {
    method: "POST",
    path: `/ironflow.v1.${operation.connect}`,
    ...common,
    body: toText(operation.message),
  };
}

/** A Connect error says by its code whether the record is missing; anything else of status 404 is the router's word. */
function isMissingRoute(answer: HttpAnswer, surface: Surface, operation: Operation): boolean {
  if (surface === "rest") return isMissingRestRoute(answer, operation.rest?.namesRecord);
  if (answer.status === 501 || answer.status === 405 || isPage(answer)) return true;
  if (answer.status !== 404) return false;
  return ConnectErrorBody.safeParse(parseObject(answer.text)).data?.code !== "not_found";
}
