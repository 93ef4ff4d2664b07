import { poll } from "../../../loopback/testing/poll.ts";
import { expectLike, expectThat } from "../like.ts";
import { openLive, withLive } from "../live-client.ts";
import { NotOffered, type Row } from "../row.ts";
import { WAIT_MS, type Body } from "../target.ts";

/** Section 2.15. */
export const liveRows: Row[] = [
  {
    id: "2.15.subscribe",
    mark: "S",
    title: "a subscription to events:{name} is answered and gets the event",
    check: (t) =>
      withLive(t, async (live) => {
        const name = t.name("seen");
        const subscriptionId = await live.subscribe(`events:${name}`);
        const { eventId } = await t.emit(name, { n: 1 });
        const frame = await live.event("the event", ({ topic }) => topic === `events:${name}`);
        expectLike(frame, { subscriptionId, eventId });
        expectThat("its data is there", JSON.stringify(frame["data"]).includes('"n":1'));
      }),
  },
  {
    id: "2.15.runs",
    mark: "S",
    title: "system.run.> tells that a run was created and completed, with its output",
    check: (t) =>
      withLive(t, async (live) => {
        await live.subscribe("system.run.>");
        const id = await t.define("watched", ({ steps }) => steps.run("one", () => "out"));
        const runId = await t.start(id);
        await live.event("created", ({ topic }) => topic === `system.run.${runId}.created`);
        const end = await live.event("completed", ({ topic }) => topic === `system.run.${runId}.completed`);
        expectLike(end["data"], { status: /completed$/i, output: "out" });
        await live.event("the step", ({ topic }) => String(topic).startsWith(`system.run.${runId}.step.`));
      }),
  },
  {
    id: "2.15.pattern",
    mark: "S",
    title: "* stands for one token and other topics stay away",
    check: (t) =>
      withLive(t, async (live) => {
        const stem = t.name("shop");
        await live.subscribe(`events:${stem}.*`);
        await t.emit(`${stem}.a.b`);
        await t.emit(`${stem}.a`);
        await live.event("the one", ({ topic }) => topic === `events:${stem}.a`);
        expectThat("only the one", live.frames.filter(({ type }) => type === "event").length === 1);
      }),
  },
  {
    id: "2.15.functions",
    mark: "S",
    title: "system.function.> tells of a registration",
    check: (t) =>
      withLive(t, async (live) => {
        await live.subscribe("system.function.>");
        const id = await t.define("new", async () => null);
        await live.event("the function", ({ topic }) => String(topic).startsWith(`system.function.${id}`));
      }),
  },
  {
    id: "2.15.unsubscribe",
    mark: "S",
    title: "nothing comes after unsubscribe",
    check: (t) =>
      withLive(t, async (live) => {
        const [gone, kept] = [t.name("gone"), t.name("kept")];
        const subscriptionId = await live.subscribe(`events:${gone}`);
        await live.subscribe(`events:${kept}`);
        live.send({ type: "unsubscribe", subscriptionId });
        await poll(
          "an event on the other subscription, and none on this one after it",
          async () => {
            const before = live.frames.length;
            await t.emit(gone);
            await t.emit(kept);
            await live.event(
              "kept",
              (frame) => live.frames.indexOf(frame) >= before && frame["topic"] === `events:${kept}`,
            );
            return !live.frames.slice(before).some(({ topic }) => topic === `events:${gone}`);
          },
          WAIT_MS,
        );
      }),
  },
  {
    id: "2.15.bad-frame",
    mark: "S",
    title: 'a frame that is none is answered with {"type":"error"}, and the connection stays',
    check: (t) =>
      withLive(t, async (live) => {
        live.send("{");
        await poll("an error frame", () => live.frames.some(({ type }) => type === "error"), WAIT_MS);
        await live.subscribe(`events:${t.name("still")}`);
      }),
  },
  {
    id: "2.15.key",
    mark: "S",
    title: "the WebSocket wants the key",
    check: async (t) => {
      if (t.apiKey === undefined) throw new NotOffered("the server is used without a key");
      await openLive(t, { token: "ifkey_nobody" }).then(
        () => expectThat("refused", false),
        (error: unknown) => expectLike(String(error), /40[13]/),
      );
    },
  },
  {
    id: "2.15.environment",
    mark: "S",
    title: "the WebSocket is refused for an environment that is not the key's own",
    check: async (t) => {
      await openLive(t, { env: "env_of_somebody_else" }).then(
        () => expectThat("refused", false),
        (error: unknown) => expectLike(String(error), /40[0-9]/),
      );
    },
  },
  {
    id: "2.15.connect-stream",
    mark: "S",
    title: "PubSubService/Subscribe streams events in Connect envelopes",
    check: async (t) => {
      const name = t.name("streamed");
      const end = new AbortController();
      const message = Buffer.from(JSON.stringify({ pattern: `events:${name}`, options: {} }));
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      const response = await fetch(`${t.url}/ironflow.v1.PubSubService/Subscribe`, {
        method: "POST",
        headers: {
          "content-type": "application/connect+json",
          "connect-protocol-version": "1",
          ...(t.apiKey === undefined ? {} : { authorization: `Bearer ${t.apiKey}` }),
        },
        body: Buffer.concat([head, message]),
        signal: AbortSignal.any([end.signal, AbortSignal.timeout(WAIT_MS)]),
      });
      try {
        if (response.status !== 200 || response.body === null)
          throw new NotOffered(`Subscribe: ${response.status}`);
        const { eventId } = await t.emit(name, { n: 1 });
        const event = await firstEnvelope(response.body);
        if (event["error"] !== undefined) throw new NotOffered(JSON.stringify(event["error"]));
        expectLike(event, { topic: `events:${name}`, eventId });
      } finally {
        end.abort();
      }
    },
  },
];

/** The first message of a Connect stream: one flag byte, four length bytes, JSON. */
async function firstEnvelope(stream: ReadableStream<Uint8Array>): Promise<Body> {
  let bytes = Buffer.alloc(0);
  for await (const part of stream) {
    bytes = Buffer.concat([bytes, part]);
    while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
      const text = bytes.subarray(5, 5 + bytes.readUInt32BE(1)).toString("utf8");
      bytes = bytes.subarray(5 + bytes.readUInt32BE(1));
      if (text !== "{}") return JSON.parse(text) as Body;
    }
  }
  throw new Error("the stream ended without a message");
}
