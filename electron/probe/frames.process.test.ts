import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { FRAME_CHARS, frameLog, MAX_FRAMES } from "./frames.ts";

let server: Server | undefined;
afterEach(() => void server?.close());

async function serving(type: string, parts: string[]): Promise<string> {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": type, "mcp-session-id": "s-1" });
    for (const part of parts) response.write(part);
    response.end();
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const SECRET = "ibk_secret";
const send = (log: ReturnType<typeof frameLog>, url: string, body = "{}") =>
  log.fetchAs("handshake")(url, { method: "POST", headers: { Authorization: `Bearer ${SECRET}` }, body });

it("notes a request and its answer, and masks who asked wherever it stands", async () => {
  const log = frameLog([SECRET], () => 1.23);
  const url = await serving("application/json", [`{"echo":"${SECRET}"}`]);
  const answer = await send(log, url, `{"said":"${SECRET}"}`);
  expect(await answer.text()).toBe(`{"echo":"${SECRET}"}`);
  const frames = log.take();
  expect(frames.map(({ direction, head, text }) => [direction, head, text])).toEqual([
    ["sent", "POST /mcp", '{"said":"••••"}'],
    ["received", "200", '{"echo":"••••"}'],
  ]);
  expect(frames[0]?.headers["authorization"]).toBe("••••");
  expect(frames[1]?.headers["mcp-session-id"]).toBe("••••");
  expect(log.take()).toEqual([]);
});

it("notes a stream event by event, also one that comes in pieces", async () => {
  const log = frameLog([], () => 0);
  const url = await serving("text/event-stream", ["data: {", '"a":1}\n\ndata: {"b":2}\n', "\n"]);
  await (await send(log, url)).text();
  expect(log.take().map(({ head, text }) => [head, text])).toEqual([
    ["POST /mcp", "{}"],
    ["200 stream", ""],
    ["event", 'data: {"a":1}'],
    ["event", 'data: {"b":2}'],
  ]);
});

it("keeps the newest frames only, and cuts a long text with a note", async () => {
  const log = frameLog([], () => 0);
  const events = Array.from({ length: MAX_FRAMES }, (_, n) => `data: ${n}\n\n`);
  const url = await serving("text/event-stream", [...events, `data: ${"x".repeat(FRAME_CHARS)}\n\n`]);
  await (await send(log, url)).text();
  const frames = log.take();
  expect(frames).toHaveLength(MAX_FRAMES);
  expect(frames[0]?.text).toBe("data: 1");
  expect(frames.at(-1)?.text).toMatch(/x… and 6 more characters$/);
});
