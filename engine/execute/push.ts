import { createHmac } from "node:crypto";
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isShallow } from "../../loopback/json-depth.ts";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { PushResponse } from "../contract/push.ts";
import { messageOf } from "../errors.ts";
import { MAX_JSON_DEPTH } from "../json/json-text.ts";

/** A function's answer, or why there is none. */
export type PushOutcome = { kind: "answer"; answer: PushResponse } | { kind: "transport"; reason: string };

export interface PushCall {
  endpoint: string;
  /** The request's JSON text. */
  body: string;
  /** Time until the whole answer must be here, ms. */
  budgetMs: number;
  /** Takes out of a refusal's text what must not be told on. */
  masked: (text: string) => string;
}

export interface PushClient {
  /** Never rejects. */
  call(call: PushCall): Promise<PushOutcome>;
  /** Cuts off every call that is under way and closes idle connections. */
  close(): void;
}

/** A larger answer counts as a transport error. */
export const MAX_PUSH_ANSWER_BYTES = 8 * 1024 * 1024;

/** How much of a refusal's body goes into the reason. */
const refusalChars = 200;
/** Long enough for the longest secret that begins inside it. */
const refusalReadBytes = 256 * 1024;

/**
 * An idle connection is closed after this, ms: before any common server does it, at the moment of the next call perhaps.
 * Nobody could tell then whether the function had seen the call, and it must not be made twice for one attempt.
 */
export const IDLE_MS = 1_000;

class PushFailure extends Error {
  override readonly name = "PushFailure";
}

/** `X-Ironflow-Signature`: HMAC-SHA256 of the raw body, section 3.1. */
export function sign(body: string, key: string): string {
  return `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}

export function createPushClient(signingKey: string | undefined): PushClient {
  const http = new HttpAgent({ keepAlive: true, maxFreeSockets: 64, timeout: IDLE_MS });
  const https = new HttpsAgent({ keepAlive: true, maxFreeSockets: 64, timeout: IDLE_MS });
  const underWay = new Set<ClientRequest>();

  function send(call: PushCall, deadlineMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const secure = call.endpoint.startsWith("https:");
      const body = Buffer.from(call.body, "utf8");
      const request = (secure ? httpsRequest : httpRequest)(call.endpoint, {
        method: "POST",
        agent: secure ? https : http,
        headers: {
          "content-type": "application/json",
          "content-length": body.length,
          accept: "application/json",
          ...(signingKey === undefined ? {} : { "x-ironflow-signature": sign(call.body, signingKey) }),
        },
      });
      underWay.add(request);
      const late = setTimeout(() => {
        request.destroy(new PushFailure(`no answer within ${call.budgetMs} ms`));
      }, deadlineMs - performance.now());
      request.once("close", () => {
        clearTimeout(late);
        underWay.delete(request);
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        reject(error instanceof PushFailure ? error : connectionFailure(error));
      });
      request.once("response", (response) => {
        readAnswer(response, call.masked).then(resolve, reject);
      });
      request.end(body);
    });
  }

  return {
    call: async (call) => {
      const deadlineMs = performance.now() + call.budgetMs;
      try {
        return { kind: "answer", answer: parseAnswer(await send(call, deadlineMs)) };
      } catch (error) {
        return { kind: "transport", reason: messageOf(error) };
      }
    },
    close: () => {
      for (const request of underWay) request.destroy(new PushFailure("the engine stopped"));
      http.destroy();
      https.destroy();
    },
  };
}

function connectionFailure(error: NodeJS.ErrnoException): PushFailure {
  // Several addresses were tried: the error is a list and its own message is empty.
  const message = error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : error.message;
  const text =
    error.code === undefined || message.includes(error.code) ? message : `${error.code}: ${message}`;
  return new PushFailure(text, { cause: error });
}

function readAnswer(response: IncomingMessage, masked: (text: string) => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const status = response.statusCode ?? 0;
    const parts: Buffer[] = [];
    let size = 0;
    response.on("data", (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size <= MAX_PUSH_ANSWER_BYTES) return;
      response.destroy();
      reject(new PushFailure(`the answer is over ${MAX_PUSH_ANSWER_BYTES} bytes`));
    });
    response.once("error", (error) => {
      reject(
        error instanceof PushFailure ? error : new PushFailure(`the answer broke off: ${error.message}`),
      );
    });
    response.once("close", () => {
      reject(new PushFailure("the answer broke off"));
    });
    response.once("end", () => {
      const bytes = Buffer.concat(parts);
      if (status !== 200) {
        // Masked before it is cut: half of a secret would not be known as one.
        const text = masked(bytes.toString("utf8", 0, refusalReadBytes)).slice(0, refusalChars);
        reject(new PushFailure(`HTTP ${status}: ${text}`));
        return;
      }
      try {
        // Strictly: a replaced byte would change a payload unseen.
        resolve(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
      } catch {
        reject(new PushFailure("the answer is not valid UTF-8"));
      }
    });
  });
}

function parseAnswer(text: string): PushResponse {
  if (!isShallow(text, MAX_JSON_DEPTH)) throw new PushFailure("the answer is nested too deeply");
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw new PushFailure("the answer is not JSON");
  }
  const parsed = PushResponse.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new PushFailure(
    `the answer is no push response: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
  );
}
