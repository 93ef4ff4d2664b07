import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { ApiError } from "../../errors.ts";
import { encodeJson } from "../../json/json-text.ts";
import type { Call } from "../call.ts";
import { toProblem } from "../problem.ts";
import { toProtojson } from "../protojson.ts";

/**
 * Connect's server streams (section 1.4): every message is an envelope of one flag byte, four length bytes and JSON. The
 * last one has the end flag and says how it went; HTTP says 200 whatever happens.
 */

const endFlag = 0x02;
const headBytes = 5;

/** What may wait for a client that does not read; beyond it the stream ends. */
export const MAX_UNREAD_STREAM_BYTES = 4 * 1024 * 1024;

/** A method that answers with a stream. */
export interface ConnectStream {
  /** Refuses a call before its stream begins: then the HTTP status says so. @throws ZodError, ApiError */
  admit?(call: Call, message: unknown): void;
  /** The stream ends when the promise does. */
  run(call: Call, message: unknown, send: SendMessage): Promise<void>;
}

export interface SendMessage {
  /** Writes one message. False: the client does not read, and was cut off. */
  (message: Record<string, unknown>): boolean;
  /** False once the client has gone. */
  isOpen(): boolean;
  /** What waits for a client that does not read. */
  unreadBytes(): number;
}

function envelope(flags: number, value: unknown): Buffer {
  const json = Buffer.from(encodeJson(value), "utf8");
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

/** The JSON text of a request's one message. @throws ApiError */
export function readEnvelope(body: Buffer): string {
  if (body.length < headBytes) throw new ApiError("invalid_argument", "body: is no Connect envelope");
  const flags = body.readUInt8(0);
  if (flags !== 0) throw new ApiError("unimplemented", "body: compressed envelopes are not taken");
  const length = body.readUInt32BE(1);
  if (body.length !== headBytes + length) {
    throw new ApiError("invalid_argument", "body: must be exactly one Connect envelope");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body.subarray(headBytes));
  } catch {
    throw new ApiError("invalid_argument", "body: is not valid UTF-8");
  }
}

/**
 * Answers with a stream. `run` sends messages until it resolves, which it does when the client went away or nothing more
 * will come.
 */
export async function serveStream(
  response: ServerResponse,
  run: (send: SendMessage) => Promise<void>,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "application/connect+json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.flushHeaders();
  let end: Record<string, unknown> = {};
  try {
    const write = (message: Record<string, unknown>) => {
      if (response.destroyed) return true;
      if (response.writableLength > MAX_UNREAD_STREAM_BYTES) {
        response.destroy();
        return false;
      }
      response.write(envelope(0, toProtojson(message)));
      return true;
    };
    const isOpen = () => !response.destroyed && response.socket?.destroyed === false;
    await run(Object.assign(write, { isOpen, unreadBytes: () => response.writableLength }));
  } catch (error) {
    const { code, message } = toProblem(error);
    end = { error: { code, message } };
  }
  if (response.destroyed) return;
  response.end(envelope(endFlag, end));
  await once(response, "close");
}
