import { ConnectErrorBody, RestErrorBody } from "../../engine/contract/errors.ts";
import { answerError, parseObject } from "./http-errors.ts";
import { EngineError } from "./engine-error.ts";
import type { Call } from "./engine.ts";
import type { Effect, EngineAnswer, EngineHttp, EngineRequest } from "./http.ts";

/** One operation on both surfaces of the engine; `rest` is the twin that the older era had, where it had one. */
export type Operation = {
  /** `IronflowService/ListRuns`, without the package. */
  readonly connect: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  readonly rest?: {
    readonly method: "GET" | "POST";
    readonly path: string;
    readonly body?: unknown;
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
  readonly #http: EngineHttp;
  readonly #lacking = new Map<string, Surface>();

  constructor(http: EngineHttp) {
    this.#http = http;
  }

  async send(operation: Operation, call: Call): Promise<SurfaceAnswer> {
    const lacking = this.#lacking.get(operation.connect);
    for (const surface of order(operation, lacking)) {
      const answer = await this.#http.send(toRequest(operation, surface), call);
      if (answer.status >= 200 && answer.status < 300) return { surface, text: answer.text };
      if (!isMissingRoute(answer, surface, operation))
        throw answerError(toRequest(operation, surface), answer);
      this.#lacking.set(operation.connect, surface);
    }
    this.#lacking.delete(operation.connect);
    throw new EngineError({
      code: "unimplemented",
      message: `the engine does not serve ${operation.connect}`,
      retryable: false,
      hint: "This engine's version has no such operation; ironflow_server_info shows the version.",
    });
  }
}

function order(operation: Operation, lacking: Surface | undefined): Surface[] {
  if (operation.rest === undefined) return ["connect"];
  if (lacking === "connect") return ["rest", "connect"];
  if (lacking === "rest") return ["connect", "rest"];
  return operation.restFirst === true ? ["rest", "connect"] : ["connect", "rest"];
}

function toRequest(operation: Operation, surface: Surface): EngineRequest {
  const { effect, rest } = operation;
  if (surface === "rest" && rest !== undefined)
    return {
      method: rest.method,
      path: rest.path,
      effect,
      body: rest.body === undefined ? undefined : JSON.stringify(rest.body),
    };
  return {
    method: "POST",
    path: `/ironflow.v1.${operation.connect}`,
    effect,
    body: JSON.stringify(operation.message),
  };
}

/** True when the route is not there, as against a record that is not there. */
function isMissingRoute(answer: EngineAnswer, surface: Surface, operation: Operation): boolean {
  if (answer.status === 501 || answer.status === 405) return true;
  if (answer.status !== 404) return false;
  const body = parseObject(answer.text);
  if (surface === "connect") return ConnectErrorBody.safeParse(body).data?.code !== "not_found";
  const saysSomething = RestErrorBody.safeParse(body);
  const hasWords =
    saysSomething.success && (saysSomething.data.error ?? saysSomething.data.message) !== undefined;
  return operation.rest?.namesRecord !== true || !hasWords;
}
