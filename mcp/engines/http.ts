import { EngineError } from "./engine-error.ts";
import { answerError, cutOff, deadlinePassed, unreachable } from "./http-errors.ts";
import type { Call } from "./engine.ts";

export const HTTP_LIMITS = {
  /** A whole call, its retries included. */
  deadlineMs: 15_000,
  answerBytes: 32 * 1024 * 1024,
  /** Tries of a call that may be repeated. */
  tries: 3,
  firstDelayMs: 100,
  /** A longer wish of the engine is handed to the caller instead of slept through. */
  retryAfterMaxMs: 5_000,
} as const;

export type HttpLimits = Record<keyof typeof HTTP_LIMITS, number>;

/**
 * What a call does to the engine: `read` changes nothing, `repeatable` may be sent twice with the same effect as once,
 * `once` must not be sent again when its outcome is not known.
 */
export type Effect = "read" | "repeatable" | "once";

export type EngineRequest = {
  readonly method: "GET" | "POST";
  /** From the engine's root, percent-encoded, with its query. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly effect: Effect;
};

export type EngineAnswer = { readonly status: number; readonly text: string; readonly headers: Headers };

export type EngineHttpOptions = {
  /** `http:` or `https:`, no credentials, no query. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly limits?: Partial<HttpLimits>;
};

/** Statuses that mean "not now" rather than "no". */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/**
 * HTTP to one engine: deadline, bounded answers, no redirects, the key in a header and nowhere else. Rejects with an
 * `EngineError`; an answer of any status resolves, except those of `PASSING` that were left after the last try.
 */
export class EngineHttp {
  readonly baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly #limits: HttpLimits;

  constructor(options: EngineHttpOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.#apiKey = options.apiKey;
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
  }

  async send(request: EngineRequest, call: Call): Promise<EngineAnswer> {
    const deadlineMs = Math.min(call.timeoutMs ?? Infinity, this.#limits.deadlineMs);
    const endsAt = performance.now() + deadlineMs;
    const timeout = AbortSignal.timeout(deadlineMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#once(request, signal, { timeout, deadlineMs });
      const failure = outcome instanceof EngineError ? outcome : passingFailure(request, outcome);
      if (failure === undefined) return outcome as EngineAnswer;
      const delayMs = this.#delayBefore(attempt + 1, failure);
      const mayRepeat = request.effect === "read" && failure.retryable && attempt < this.#limits.tries;
      if (!mayRepeat || delayMs === undefined || performance.now() + delayMs >= endsAt) throw failure;
      await sleep(delayMs, signal);
    }
  }

  /** One try: the answer, or the error that kept it from coming. */
  async #once(
    request: EngineRequest,
    signal: AbortSignal,
    limit: { timeout: AbortSignal; deadlineMs: number },
  ): Promise<EngineAnswer | EngineError> {
    let sent: Response | undefined;
    try {
      sent = await fetch(this.baseUrl + request.path, {
        method: request.method,
        headers: this.#headers(request),
        redirect: "manual",
        signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      const bytes = await readBounded(sent, this.#limits.answerBytes);
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      // What a failed call says ends up in an error text, and some servers repeat the request's headers there.
      return { status: sent.status, text: sent.ok ? text : this.#withoutKey(text), headers: sent.headers };
    } catch (cause) {
      if (cause instanceof EngineError) return cause;
      if (limit.timeout.aborted) return deadlinePassed(request, limit.deadlineMs, cause);
      if (signal.aborted)
        return new EngineError({ code: "canceled", message: "the call was cancelled", retryable: false });
      if (cause instanceof TypeError && cause.message.includes("encoded data"))
        return new EngineError({
          code: "data_loss",
          message: "the engine's answer is not valid UTF-8",
          retryable: false,
          cause,
        });
      return sent === undefined ? unreachable(request, this.baseUrl, cause) : cutOff(request, cause);
    }
  }

  #headers(request: EngineRequest): Record<string, string> {
    return {
      accept: "application/json",
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
    };
  }

  #withoutKey(text: string): string {
    return this.#apiKey === undefined ? text : text.replaceAll(this.#apiKey, "…");
  }

  /** Milliseconds before the next try, or undefined when the engine asked for more than we wait. */
  #delayBefore(attempt: number, failure: EngineError): number | undefined {
    const askedMs = failure.retryAfterSeconds === undefined ? 0 : failure.retryAfterSeconds * 1000;
    if (askedMs > this.#limits.retryAfterMaxMs) return undefined;
    const backoffMs = this.#limits.firstDelayMs * 2 ** (attempt - 2);
    return Math.max(askedMs, backoffMs * (0.5 + Math.random() / 2));
  }
}

function passingFailure(request: EngineRequest, answer: EngineAnswer): EngineError | undefined {
  return PASSING.has(answer.status) ? answerError(request, answer) : undefined;
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop by a throw cancels the body, which closes the connection.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new EngineError({
        code: "resource_exhausted",
        message: `the engine's answer is larger than ${maxBytes} bytes`,
        retryable: false,
        hint: "Ask for less: a smaller limit, a filter, or one record instead of a list.",
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
