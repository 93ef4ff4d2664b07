import type { IncomingMessage } from "node:http";
import { NOT_SENT } from "../contract/errors.ts";
import { readBody } from "./answer-body.ts";
import { Connections } from "./connections.ts";
import type { Hints } from "./hints.ts";
import { ProxyProblem } from "./proxy.ts";
import { ToolFailure } from "./tool-failure.ts";
import { answerError, cutOff, deadlinePassed, goneSince, noWay, unreachable } from "./http-errors.ts";

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

export type HttpRequest = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** From the engine's root, percent-encoded, with its query. */
  readonly path: string;
  readonly body?: string | undefined;
  /** Of the body; JSON when left out. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly effect: Effect;
  /** A longer deadline than the client's own, for a call that the server may take long over by agreement. */
  readonly deadlineMs?: number;
  /** Texts of this request that must not come back in an answer or an error, such as a secret's value. */
  readonly conceal?: readonly string[];
};

export type HttpAnswer = { readonly status: number; readonly text: string; readonly headers: Headers };

/** Who is at the other end, as errors call it, and what to advise when it refuses. */
export type Peer = { readonly name: string; readonly hints: Hints };

/** What every call takes. */
export type Call = {
  /** Aborts the call; it then rejects with a ToolFailure of code `canceled`. */
  readonly signal?: AbortSignal | undefined;
  /** The caller's own limit, in milliseconds; the client's limit holds when it is shorter. */
  readonly timeoutMs?: number | undefined;
};

export type HttpOptions = {
  readonly peer: Peer;
  /** `http:` or `https:`, no credentials, no query. */
  readonly baseUrl: string;
  /** Goes into the Authorization header and nowhere else. */
  readonly bearer?: string | undefined;
  readonly limits?: Partial<HttpLimits>;
  /** Those of the process when left out. */
  readonly connections?: Connections | undefined;
};

/** Trust and proxies are read from the environment once, when the first connection needs them. */
export const OWN_CONNECTIONS = new Connections(process.env, (text) => process.stderr.write(`${text}\n`));

/** Statuses that mean "not now" rather than "no". */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/**
 * HTTP to one server: deadline, bounded answers, no redirects, the key in a header and nowhere else. Rejects with an
 * `ToolFailure`; an answer of any status resolves, except those of `PASSING` that were left after the last try.
 */
export class HttpClient {
  readonly baseUrl: string;
  readonly peer: Peer;
  readonly #bearer: string | undefined;
  readonly #secrets: readonly string[];
  readonly #limits: HttpLimits;
  readonly #connections: Connections;

  constructor(options: HttpOptions) {
    this.baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.peer = options.peer;
    this.#bearer = options.bearer;
    this.#secrets = options.bearer === undefined ? [] : formsOf(options.bearer);
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.#connections = options.connections ?? OWN_CONNECTIONS;
  }

  async send(request: HttpRequest, call: Call): Promise<HttpAnswer> {
    // Whole, because AbortSignal.timeout takes no fractions.
    const deadlineMs = Math.ceil(
      Math.min(call.timeoutMs ?? Infinity, Math.max(this.#limits.deadlineMs, request.deadlineMs ?? 0)),
    );
    const endsAt = performance.now() + deadlineMs;
    const timeout = AbortSignal.timeout(deadlineMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
    /** The last try of which a byte has left. */
    let lost: ToolFailure | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#once(request, signal, { timeout, deadlineMs });
      const failure = outcome instanceof ToolFailure ? outcome : this.#passingFailure(request, outcome);
      if (failure === undefined) return outcome as HttpAnswer;
      const delayMs = this.#delayBefore(attempt + 1, failure);
      const mayRepeat = request.effect === "read" && failure.retryable && attempt < this.#limits.tries;
      if (!mayRepeat || delayMs === undefined || performance.now() + delayMs >= endsAt)
        throw lost === undefined ? failure : goneSince(lost, failure);
      if (failure.reason !== NOT_SENT) lost = failure;
      await sleep(delayMs, signal);
    }
  }

  /** One try: the answer, or the error that kept it from coming. */
  async #once(
    request: HttpRequest,
    signal: AbortSignal,
    limit: { timeout: AbortSignal; deadlineMs: number },
  ): Promise<HttpAnswer | ToolFailure> {
    let sent: IncomingMessage | undefined;
    try {
      sent = await this.#connections.send(new URL(this.baseUrl + request.path), {
        method: request.method,
        headers: this.#headers(request),
        body: request.body,
        signal,
        fresh: request.effect === "once",
      });
      const bytes = await readBody(this.peer, sent, this.#limits.answerBytes);
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      // Some servers and proxies repeat the request's headers, and what they say goes on to an agent.
      const status = sent.statusCode ?? 0; // an answer has one
      return { status, text: this.#withoutSecrets(text, request), headers: headersOf(sent) };
    } catch (cause) {
      if (cause instanceof ToolFailure) return cause;
      if (limit.timeout.aborted) return deadlinePassed(this.peer, request, limit.deadlineMs, cause);
      if (signal.aborted)
        return new ToolFailure({ code: "canceled", message: "the call was cancelled", retryable: false });
      if (cause instanceof ProxyProblem) return noWay(cause);
      if (cause instanceof TypeError && cause.message.includes("encoded data"))
        return new ToolFailure({
          code: "data_loss",
          message: `the answer of ${this.peer.name} is not valid UTF-8`,
          retryable: false,
          cause,
        });
      return sent === undefined
        ? unreachable(this.peer, request, this.baseUrl, cause)
        : cutOff(this.peer, request, cause);
    }
  }

  #passingFailure(request: HttpRequest, answer: HttpAnswer): ToolFailure | undefined {
    return PASSING.has(answer.status) ? answerError(this.peer, request, answer) : undefined;
  }

  #headers(request: HttpRequest): Record<string, string> {
    return {
      ...request.headers,
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "ironbridge-mcp",
      ...(request.body === undefined
        ? {}
        : {
            "content-type": request.contentType ?? "application/json",
            "content-length": String(Buffer.byteLength(request.body)),
          }),
      ...(this.#bearer === undefined ? {} : { authorization: `Bearer ${this.#bearer}` }),
    };
  }

  #withoutSecrets(text: string, { conceal = [] }: HttpRequest): string {
    const secrets = [...this.#secrets, ...conceal.flatMap(formsOf)];
    return secrets.reduce((left, secret) => left.replaceAll(whole(secret), "…"), text);
  }

  /** Milliseconds before the next try, or undefined when the engine asked for more than we wait. */
  #delayBefore(attempt: number, failure: ToolFailure): number | undefined {
    const askedMs = failure.retryAfterSeconds === undefined ? 0 : failure.retryAfterSeconds * 1000;
    if (askedMs > this.#limits.retryAfterMaxMs) return undefined;
    const backoffMs = this.#limits.firstDelayMs * 2 ** (attempt - 2);
    return Math.max(askedMs, backoffMs * (0.5 + Math.random() / 2));
  }
}

/** Shorter texts are found inside of ordinary words, and what is left of those would spell them. */
const DISTINCT_CHARS = 8;

/** Finds a secret in a text; a short one only where no letter or digit stands beside it. */
function whole(secret: string): string | RegExp {
  if (secret.length >= DISTINCT_CHARS) return secret;
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`, "gu");
}

/** The ways in which an answer may repeat the key: as it is, inside a JSON string, in base64, as the header's value. */
function formsOf(bearer: string): string[] {
  const encoded = [bearer, `Bearer ${bearer}`].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  });
  return [...new Set([bearer, JSON.stringify(bearer).slice(1, -1), ...encoded])];
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    try {
      headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
    } catch {
      // A header that is none: nothing here asks for it.
    }
  }
  return headers;
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
