import * as fc from "fast-check";
import { WebSocket } from "ws";
import type { EngineProcess } from "../testing/engine-process.ts";

/** How long a live client may wait for its answer, ms. */
const deadlineMs = 20_000;
/** Close codes that the engine gives to what it does not take: protocol error, no text, policy, too big. */
const refusals = new Set([1002, 1003, 1007, 1008, 1009]);

const good = [
  '{"type":"subscribe","subscription":{"pattern":"system.run.>","options":{"replay":5}}}',
  '{"type":"subscribe","subscription":{"pattern":"topic:t","options":{"consumerGroup":"g","ackMode":"manual"}}}',
  '{"type":"unsubscribe","subscriptionId":"sub_x"}',
  '{"type":"ack","eventId":"evt_x","ackType":"nak","redeliverDelay":1,"subscriptionId":"sub_x"}',
];

const frame: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom(...good),
  fc.tuple(fc.constantFrom(...good), fc.nat(90)).map(([text, end]) => text.slice(0, end)),
  fc
    .tuple(fc.constantFrom(...good), fc.json({ maxDepth: 2 }))
    .map(([text, evil]) => text.replace(/"[^"]*"\}+$/, `${evil}}`)),
  fc.constantFrom(
    "",
    "null",
    "[]",
    "7",
    '{"type":null}',
    '{"type":"__proto__"}',
    "[".repeat(10_000),
    "x".repeat(70_000),
  ),
  fc
    .constantFrom("*", ">", "a..b", "\u0000", "a.>.b", "x".repeat(600))
    .map((pattern) => JSON.stringify({ type: "subscribe", subscription: { pattern } })),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

/** Frames of a live client that may be anything. @returns what was wrong, undefined when nothing was */
export async function fuzzFrames(
  engine: EngineProcess,
  seed: number,
  batches: number,
): Promise<string | undefined> {
  const property = fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
    await sendFrames(engine, frames);
    const health = await fetch(`${engine.url}/health`, { signal: AbortSignal.timeout(deadlineMs) });
    if (!health.ok) throw new Error(`the engine is not healthy: ${health.status}`);
  });
  const details = await fc.check(property, { seed, numRuns: batches });
  return details.failed
    ? `${String(details.errorInstance)}\nsmallest frames: ${fc.stringify(details.counterexample)}\nseed ${details.seed}`
    : undefined;
}

/** Sends them, then a good subscription: it has to be answered, unless the engine has refused a frame by closing. */
function sendFrames(engine: EngineProcess, frames: readonly (string | Buffer)[]): Promise<void> {
  const socket = new WebSocket(`${engine.url.replace("http", "ws")}/ws`, {
    headers: engine.key === "" ? {} : { authorization: `Bearer ${engine.key}` },
  });
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    const end = (error?: Error) => {
      clearTimeout(timer);
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.on("open", () => {
      for (const one of frames) socket.send(one);
      socket.send('{"type":"subscribe","subscription":{"pattern":"the.last"}}');
    });
    socket.on("message", (raw: Buffer) => {
      const text = raw.toString("utf8");
      if (/\n\s+at |node:internal|\.cjs:\d/.test(text))
        end(new Error(`a frame with a stack: ${text.slice(0, 300)}`));
      else if (text.includes('"the.last"')) end();
    });
    socket.on("close", (code) => end(refusals.has(code) ? undefined : new Error(`closed with ${code}`)));
    socket.on("error", end);
  }).finally(() => socket.terminate());
}
