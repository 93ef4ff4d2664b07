import { createHmac } from "node:crypto";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isShallow } from "../../loopback/json-depth.ts";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { CallbackAnswer, type ToolErrorCode } from "../contract/agent-tools.ts";
import { messageOf } from "../errors.ts";
import { MAX_JSON_DEPTH } from "../json/json-text.ts";
import { guardedLookup, type AddressRules } from "./addresses.ts";

/** A larger answer is no valid one. */
export const MAX_CALLBACK_ANSWER_BYTES = 8 * 1024 * 1024;

/** What came of a call: its output, or why there is none. */
export type ToolOutcome = { output: unknown } | { error: { code: ToolErrorCode; message: string } };

export interface Callback {
  url: string;
  /** JSON text. */
  body: string;
  /** 32 bytes as hex. */
  secretHex: string;
  nowMs: number;
  caller: string;
  callId: string;
  timeoutMs: number;
  rules: AddressRules;
  /** The caller went away. */
  gone: AbortSignal;
}

class CallbackFailure extends Error {
  override readonly name = "CallbackFailure";
  readonly code: ToolErrorCode;
  constructor(code: ToolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** HMAC-SHA256 over time and raw body, section 2.13. */
export function signCallback(secretHex: string, seconds: number, body: string): string {
  const key = Buffer.from(secretHex, "hex");
  return `sha256=${createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex")}`;
}

/** Calls the application once. Never rejects. */
export async function callBack(callback: Callback): Promise<ToolOutcome> {
  try {
    const { status, text } = await post(callback);
    return readOutcome(status, text);
  } catch (error) {
    const code = error instanceof CallbackFailure ? error.code : "CALLBACK_UNREACHABLE";
    return { error: { code, message: messageOf(error) } };
  }
}

function post(callback: Callback): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const body = Buffer.from(callback.body, "utf8");
    const seconds = Math.floor(callback.nowMs / 1000);
    const request = (callback.url.startsWith("https:") ? httpsRequest : httpRequest)(callback.url, {
      method: "POST",
      agent: false,
      lookup: guardedLookup(callback.rules),
      headers: {
        "content-type": "application/json",
        "content-length": body.length,
        accept: "application/json",
        "x-ironflow-timestamp": String(seconds),
        "x-ironflow-signature": signCallback(callback.secretHex, seconds, callback.body),
        "x-ironflow-caller": callback.caller,
        "x-ironflow-call-id": callback.callId,
      },
    });
    const late = setTimeout(() => {
      request.destroy(new CallbackFailure("CALLBACK_TIMEOUT", `no answer within ${callback.timeoutMs} ms`));
    }, callback.timeoutMs);
    const leave = () => request.destroy(new CallbackFailure("CALLBACK_TIMEOUT", "the caller went away"));
    callback.gone.addEventListener("abort", leave, { once: true });
    request.once("close", () => {
      clearTimeout(late);
      callback.gone.removeEventListener("abort", leave);
    });
    request.on("error", (error) => {
      reject(
        error instanceof CallbackFailure
          ? error
          : new CallbackFailure("CALLBACK_UNREACHABLE", reasonOf(error), { cause: error }),
      );
    });
    request.once("response", (response) => {
      readAll(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    request.end(body);
  });
}

/** Several addresses were tried: the error is a list and its own message is empty. */
const reasonOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : error.message;

function readAll(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const invalid = (message: string) => new CallbackFailure("CALLBACK_INVALID_RESPONSE", message);
    response.on("data", (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size <= MAX_CALLBACK_ANSWER_BYTES) return;
      response.destroy();
      reject(invalid(`the answer is over ${MAX_CALLBACK_ANSWER_BYTES} bytes`));
    });
    response.once("error", (error) => {
      reject(error instanceof CallbackFailure ? error : invalid("the answer broke off"));
    });
    response.once("close", () => {
      reject(invalid("the answer broke off"));
    });
    response.once("end", () => {
      try {
        resolve(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts)));
      } catch {
        reject(invalid("the answer is not valid UTF-8"));
      }
    });
  });
}

/** 200 carries output or error; 400 says that the input does not fit; everything else is no answer. */
function readOutcome(status: number, text: string): ToolOutcome {
  const invalid = (message: string): ToolOutcome => ({
    error: { code: "CALLBACK_INVALID_RESPONSE", message },
  });
  if (status !== 200 && status !== 400) return invalid(`HTTP ${status}`);
  if (!isShallow(text, MAX_JSON_DEPTH)) return invalid("the answer is nested too deeply");
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    return invalid("the answer is not JSON");
  }
  const answer = CallbackAnswer.safeParse(value);
  if (!answer.success) return invalid("the answer holds neither output nor error");
  if ("error" in answer.data) {
    const { code, message } = answer.data.error;
    if (code === "INPUT_SCHEMA_INVALID") return { error: { code, message } };
    return status === 200 ? { error: { code: "HANDLER_ERROR", message } } : invalid(`HTTP 400: ${code}`);
  }
  return status === 200 ? { output: answer.data.output ?? null } : invalid("HTTP 400");
}
