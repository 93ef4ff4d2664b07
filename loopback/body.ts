import type { IncomingMessage } from "node:http";
import { isShallow } from "./json-depth.ts";

export interface BodyLimits {
  /** The largest body that is accepted, in bytes. */
  maxBytes: number;
  /**
   * How much of a refused body is read and thrown away, in bytes, so that the connection stays usable. A sender that
   * goes on after that is cut off. Default: four times `maxBytes`, at least 1 MiB.
   */
  maxDrainBytes?: number;
}

export type BodyProblem = "too-large" | "not-utf8";
export type JsonProblem = BodyProblem | "too-deep" | "not-json";

export type BodyResult = { ok: true; text: string; bytes: number } | { ok: false; problem: BodyProblem };

export type JsonResult =
  | { ok: true; value: unknown; text: string; bytes: number }
  | { ok: false; problem: JsonProblem; status: 400 | 413; message: string };

/** The sender went away, or the connection broke, before the body was complete. Nobody is left to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
  constructor(options?: ErrorOptions) {
    super("request body ended early", options);
  }
}

/**
 * Reads a request's body as strict UTF-8 (a byte order mark is kept), whether its length was announced or it is chunked.
 * Over the limit nothing is kept: the rest is drained, so the next request on the connection works, and the answer can be
 * sent at once.
 * @throws BodyAborted when the request ends before its body does, or its body was already read
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<BodyResult> {
  const bytes = await readBytes(request, limits);
  if (bytes === "too-large") return { ok: false, problem: "too-large" };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, text, bytes: bytes.length };
  } catch {
    return { ok: false, problem: "not-utf8" };
  }
}

/** Arrays and objects of a JSON body inside one another. Deeper ones overflow the stack of whoever walks them. */
const MAX_JSON_LEVELS = 100;

/** `readBody` and JSON.parse. The message names no content of the body. @throws BodyAborted like `readBody` */
export async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<JsonResult> {
  const body = await readBody(request, limits);
  if (!body.ok) return problem(body.problem, limits.maxBytes);
  if (!isShallow(body.text, MAX_JSON_LEVELS)) return problem("too-deep", limits.maxBytes);
  try {
    const value: unknown = JSON.parse(body.text);
    return { ...body, value };
  } catch {
    return problem("not-json", limits.maxBytes);
  }
}

/** Reads and throws away what is left of a request's body, and cuts the connection after `maxBytes` of it. */
export function drain(request: IncomingMessage, maxBytes: number): void {
  if (request.destroyed || request.readableEnded) return;
  let seen = 0;
  request.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > maxBytes) request.destroy();
  });
  request.on("error", () => {
    // Cut off by us or by the sender: either way there is nothing left to throw away.
  });
}

function readBytes(request: IncomingMessage, limits: BodyLimits): Promise<Buffer | "too-large"> {
  const { maxBytes, maxDrainBytes = Math.max(4 * maxBytes, 1024 * 1024) } = limits;
  return new Promise((resolve, reject) => {
    if (request.destroyed || request.readableEnded) {
      reject(new BodyAborted());
      return;
    }
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
      drain(request, maxDrainBytes);
      resolve("too-large");
      return;
    }
    let parts: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        parts.push(chunk);
        return;
      }
      parts = [];
      request.off("data", onData);
      drain(request, maxDrainBytes);
      resolve("too-large");
    };
    request.on("data", onData);
    request.once("end", () => {
      resolve(Buffer.concat(parts, Math.min(size, maxBytes)));
    });
    request.once("error", (cause) => {
      reject(new BodyAborted({ cause }));
    });
    request.once("close", () => {
      reject(new BodyAborted());
    });
  });
}

const PROBLEMS = {
  "too-large": (maxBytes: number) =>
    ({ status: 413, message: `request body is over ${maxBytes} bytes` }) as const,
  "not-utf8": () => ({ status: 400, message: "request body is not valid UTF-8" }) as const,
  "too-deep": () =>
    ({ status: 400, message: `request body is nested deeper than ${MAX_JSON_LEVELS} levels` }) as const,
  "not-json": () => ({ status: 400, message: "request body is not valid JSON" }) as const,
};

function problem(kind: JsonProblem, maxBytes: number): JsonResult {
  return { ok: false, problem: kind, ...PROBLEMS[kind](maxBytes) };
}
