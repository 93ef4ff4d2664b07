import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";

let factory: EngineFactory;
let engine: EngineProcess;

beforeAll(async () => {
  factory = await createEngineFactory();
  engine = await factory.start();
});

afterAll(() => factory.close());

interface Envelope {
  flags: number;
  message: Record<string, unknown>;
}

function envelope(text: string, flags = 0): Buffer {
  const body = Buffer.from(text, "utf8");
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** Opens a stream; what came so far is in `received`. */
async function subscribe(body: Buffer): Promise<{
  status: number;
  received: Envelope[];
  ended: () => boolean;
  close: () => void;
}> {
  const abort = new AbortController();
  const response = await fetch(`${engine.url}/ironflow.v1.PubSubService/Subscribe`, {
    method: "POST",
    headers: { "content-type": "application/connect+json" },
    body: new Uint8Array(body),
    signal: abort.signal,
  });
  const received: Envelope[] = [];
  let ended = false;
  const read = async () => {
    let rest = Buffer.alloc(0);
    for await (const part of response.body ?? []) {
      rest = Buffer.concat([rest, part]);
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
        const end = 5 + rest.readUInt32BE(1);
        const text = rest.subarray(5, end).toString("utf8");
        received.push({ flags: rest.readUInt8(0), message: JSON.parse(text) as Envelope["message"] });
        rest = rest.subarray(end);
      }
    }
    ended = true;
  };
  read().catch(() => {
    // The test closed it.
    ended = true;
  });
  return { status: response.status, received, ended: () => ended, close: () => abort.abort() };
}

it("streams every notice whose topic matches, in order, until the client goes", async () => {
  const stream = await subscribe(envelope(JSON.stringify({ pattern: "events:shop.>" })));
  expect(stream.status).toBe(200);
  await engine.ask("Emit", { event: "shop.paid", data: { n: 1 } });
  await engine.ask("Emit", { event: "other", data: { n: 2 } });
  await engine.ask("Emit", { event: "shop.sent.late", data: { n: 3 } });
  await poll("two messages", () => stream.received.length === 2);
  // Numbers among all events: the second one went to nobody.
  expect(stream.received.map(({ flags, message }) => [flags, message["topic"], message["sequence"]])).toEqual(
    [
      [0, "events:shop.paid", "1"],
      [0, "events:shop.sent.late", "3"],
    ],
  );
  expect(stream.received[0]?.message["data"]).toMatchObject({ name: "shop.paid", data: { n: 1 } });
  stream.close();
});

it.each([
  ["no envelope", Buffer.from("{}"), "invalid_argument"],
  ["two envelopes", Buffer.concat([envelope("{}"), envelope("{}")]), "invalid_argument"],
  ["a compressed one", envelope("{}", 1), "unimplemented"],
  ["no JSON", envelope("{"), "invalid_argument"],
  ["no UTF-8", Buffer.concat([envelope("xx").subarray(0, 5), Buffer.from([0xff, 0xff])]), "invalid_argument"],
  ["no pattern", envelope("{}"), "invalid_argument"],
  ["an unknown field", envelope('{"pattern":"a","surprise":1}'), "invalid_argument"],
  ["deep JSON", envelope(`{"pattern":${"[".repeat(1_000)}${"]".repeat(1_000)}}`), "invalid_argument"],
])("ends the stream with an error for %s", async (_, body, code) => {
  const stream = await subscribe(body);
  await poll("the end", () => stream.ended());
  expect(stream.received).toMatchObject([{ flags: 2, message: { error: { code } } }]);
});

it("takes a streaming call only as a stream, and ends open ones when it is asked to stop", async () => {
  const unary = await engine.rest("/ironflow.v1.PubSubService/Subscribe", { pattern: ">" });
  expect(unary).toMatchObject({ status: 400, body: { code: "invalid_argument" } });
  const stream = await subscribe(envelope('{"pattern":">"}'));
  expect(await engine.end("SIGTERM")).toBe(0);
  await poll("the end", () => stream.ended());
});
