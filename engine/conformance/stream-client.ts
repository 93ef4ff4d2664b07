import { poll } from "../../loopback/testing/poll.ts";
import { WAIT_MS, type Body, type Target } from "./target.ts";

/** A Connect server stream. */
export interface StreamClient {
  /** The next message that nobody took yet. */
  next(): Promise<Body>;
  close(): void;
}

const headBytes = 5;
const endFlag = 0x02;

/** Opens a stream: `ProjectionService/StreamProjectionEvents`. @throws Error with the status when it is not answered 200 */
export async function openStream(
  target: Pick<Target, "url" | "apiKey">,
  method: string,
  message: Body,
): Promise<StreamClient> {
  const json = Buffer.from(JSON.stringify(message), "utf8");
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(json.length, 1);
  const abort = new AbortController();
  const response = await fetch(`${target.url}/ironflow.v1.${method}`, {
    method: "POST",
    headers: {
      "content-type": "application/connect+json",
      ...(target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` }),
    },
    body: new Uint8Array(Buffer.concat([head, json])),
    signal: abort.signal,
  });
  if (response.status !== 200) throw new Error(`${method}: ${response.status} ${await response.text()}`);
  const messages: Body[] = [];
  let ended: string | undefined;
  const read = async () => {
    let rest = Buffer.alloc(0);
    for await (const part of response.body ?? []) {
      rest = Buffer.concat([rest, part]);
      while (rest.length >= headBytes && rest.length >= headBytes + rest.readUInt32BE(1)) {
        const end = headBytes + rest.readUInt32BE(1);
        const text = rest.subarray(headBytes, end).toString("utf8");
        if ((rest.readUInt8(0) & endFlag) === 0) messages.push(JSON.parse(text) as Body);
        else ended = text;
        rest = rest.subarray(end);
      }
    }
  };
  read().catch((error: unknown) => {
    // The row closed it, or the server is gone: nothing more comes.
    ended ??= String(error);
  });
  return {
    next: () =>
      poll(
        `a message of ${method}`,
        () => {
          const first = messages.shift();
          if (first === undefined && ended !== undefined) throw new Error(`the stream ended: ${ended}`);
          return first;
        },
        WAIT_MS,
      ),
    close: () => abort.abort(),
  };
}
