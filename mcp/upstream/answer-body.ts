import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Peer } from "./http.ts";
import { ToolFailure } from "./tool-failure.ts";

/** No compression is asked for; a proxy in between may compress all the same. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The bytes of an answer, `maxBytes` at most, counted after decompression: a small answer may unfold to any size.
 * @throws ToolFailure for one that is larger or encoded in a way that is not known; the error of the connection
 */
export async function readBody(peer: Peer, answer: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    // Leaving the loop by a throw destroys the stream, and the connection with it.
    for await (const chunk of decoded(peer, answer) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(peer, maxBytes);
      chunks.push(chunk);
    }
  } catch (cause) {
    answer.destroy();
    if (isBadEncoding(cause)) throw nonsense(peer, "cannot be decompressed", cause);
    throw cause;
  }
  return Buffer.concat(chunks, bytes);
}

function decoded(peer: Peer, answer: IncomingMessage): Readable {
  const encoding = (answer.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return answer;
  const make = DECODERS[encoding];
  if (make === undefined) throw nonsense(peer, "has a content encoding that was not asked for");
  return pipeline(answer, make(), () => {
    // The reader of the last stream gets the error.
  });
}

const isBadEncoding = (cause: unknown): boolean =>
  /^(Z_|ERR__ERROR_|ERR_BROTLI)/.test((cause as NodeJS.ErrnoException | null)?.code ?? "");

const nonsense = (peer: Peer, what: string, cause?: unknown): ToolFailure =>
  new ToolFailure({
    code: "data_loss",
    message: `the answer of ${peer.name} ${what}`,
    retryable: false,
    cause,
  });

const tooLarge = (peer: Peer, maxBytes: number): ToolFailure =>
  new ToolFailure({
    code: "resource_exhausted",
    message: `the answer of ${peer.name} is larger than ${maxBytes} bytes`,
    retryable: false,
    hint: "Ask for less: a smaller limit, a filter, or one record instead of a list.",
  });
