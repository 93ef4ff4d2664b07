import { createHmac } from "node:crypto";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { PushResponse } from "../contract/push.ts";
import { messageOf } from "../errors.ts";
import { isShallow } from "../json/depth.ts";
import { readJson } from "../json/json-text.ts";

/** A function's answer, or why there is none. */
export type PushOutcome = { kind: "answer"; answer: PushResponse } | { kind: "transport"; reason: string };

export interface PushCall {
  endpoint: string;
  /** The request's JSON text. */
  body: string;
  /** Time until the whole answer must be here, ms. */
  budgetMs: number;
  signal: AbortSignal;
}

export interface PushClient {
  /** Never rejects. */
  call(call: PushCall): Promise<PushOutcome>;
  close(): void;
}

/** A larger answer counts as a transport error. */
export const MAX_PUSH_ANSWER_BYTES = 8 * 1024 * 1024;

/** How much of a refusal's body goes into the reason. */
const refusalChars = 200;

class PushFailure extends Error {
  override readonly name = "PushFailure";
  /** The connection had been used before and died before a byte of the answer came. */
  readonly stale: boolean;
  constructor(message: string, stale = false, options?: ErrorOptions) {
    super(message, options);
    this.stale = stale;
  }
}

/** `X-Ironflow-Signature`: HMAC-SHA256 of the raw body, section 3.1. */
export function sign(body: string, key: string): string {
  return `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}

export function createPushClient(signingKey: string | undefined): PushClient {
  const http = new HttpAgent({ keepAlive: true, maxFreeSockets: 64 });
  const https = new HttpsAgent({ keepAlive: true, maxFreeSockets: 64 });

  function send(call: PushCall, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const secure = call.endpoint.startsWith("https:");
      const body = Buffer.from(call.body, "utf8");
      const request = (secure ? httpsRequest : httpRequest)(call.endpoint, {
        method: "POST",
        agent: secure ? https : http,
        signal,
        headers: {
          "content-type": "application/json",
          "content-length": body.length,
          accept: "application/json",
          ...(signingKey === undefined ? {} : { "x-ironflow-signature": sign(call.body, signingKey) }),
        },
      });
      request.once("error", (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        reject(
          new PushFailure(
            error.code === undefined ? error.message : `${error.code}: ${error.message}`,
            stale,
          ),
        );
      });
      request.once("response", (response) => {
        readAnswer(response).then(resolve, reject);
      });
      request.end(body);
    });
  }

  return {
    call: async (call) => {
      const budget = AbortSignal.timeout(call.budgetMs);
      const signal = AbortSignal.any([call.signal, budget]);
      try {
        const text = await send(call, signal).catch((error: unknown) => {
          // The server closed an idle connection at the moment it was used again: it has not seen the request.
          if (error instanceof PushFailure && error.stale) return send(call, signal);
          throw error;
        });
        return { kind: "answer", answer: parseAnswer(text) };
      } catch (error) {
        const reason = budget.aborted ? `no answer within ${call.budgetMs} ms` : messageOf(error);
        return { kind: "transport", reason };
      }
    },
    close: () => {
      http.destroy();
      https.destroy();
    },
  };
}

function readAnswer(response: IncomingMessage): Promise<string> {
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
      reject(new PushFailure(`the answer broke off: ${error.message}`));
    });
    response.once("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      if (status === 200) resolve(text);
      else reject(new PushFailure(`HTTP ${status}: ${text.slice(0, refusalChars)}`));
    });
  });
}

function parseAnswer(text: string): PushResponse {
  if (!isShallow(text)) throw new PushFailure("the answer is nested too deeply");
  let value: unknown;
  try {
    value = readJson(text);
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
