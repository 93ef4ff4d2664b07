import { request, type IncomingMessage } from "node:http";
import { LineSplitter } from "../../client/frames.ts";

/** Largest answer, or event of a stream, in bytes: four times what a request may have. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export interface Exchange {
  readonly url: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** There was no answer. `taken` is false where it is certain that nothing of the request has arrived. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly taken: boolean;
  constructor(taken: boolean, options: ErrorOptions) {
    super("the app did not answer", options);
    this.taken = taken;
  }
}

/**
 * One request. It has no timeout of its own: a person may be thinking. Each has a connection of its own, so that a request
 * never fails because an idle connection has just been closed.
 * @throws NoAnswer
 */
export function exchange({ url, method, headers, body, signal }: Exchange): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      signal,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      },
    });
    outgoing.once("response", resolve);
    outgoing.on("error", (cause: NodeJS.ErrnoException) =>
      reject(new NoAnswer(cause.code !== "ECONNREFUSED", { cause })),
    );
    outgoing.end(body);
  });
}

/**
 * The messages of an answer as they arrive, as text: one of a JSON body, any number of an event stream.
 * @throws Error when the connection breaks in between, or RangeError when a message is over the limit
 */
export async function* messagesOf(answer: IncomingMessage): AsyncGenerator<string> {
  if (!(answer.headers["content-type"] ?? "").startsWith("text/event-stream")) {
    const whole = await readAll(answer);
    if (whole !== "") yield whole;
    return;
  }
  const lines = new LineSplitter(MAX_ANSWER_BYTES);
  let data: string[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    for (const raw of lines.push(chunk)) {
      const line = raw.toString("utf8").replace(/\r$/, "");
      if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
      if (line !== "") continue;
      const text = data.join("\n");
      data = [];
      if (text.trim() !== "") yield text;
    }
  }
}

export async function readAll(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new RangeError(`an answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts, bytes).toString("utf8");
}
