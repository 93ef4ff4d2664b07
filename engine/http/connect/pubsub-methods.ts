import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { matchesTopic } from "../../execute/pattern.ts";
import { ApiError } from "../../errors.ts";
import { encodeJson, JsonText } from "../../json/json-text.ts";
import type { Call } from "../call.ts";
import { plainText } from "../fields.ts";
import { MAX_UNREAD_STREAM_BYTES, type ConnectStream } from "./stream.ts";

const SubscribeRequest = z.strictObject({
  pattern: plainText(512).min(1),
  options: z.looseObject({}).optional(),
});

/** Streams at the same time; each holds a connection. */
const maxStreams = 64;
const open = new WeakMap<Call["core"], number>();

/** `PubSubService/Subscribe`: every notice whose topic matches, until the client goes. Nothing is replayed. */
const subscribe: ConnectStream["run"] = async (call, message, send) => {
  const { core, environment, gone } = call;
  const { pattern } = SubscribeRequest.parse(message);
  const running = open.get(core) ?? 0;
  if (running >= maxStreams) throw tooMany();
  open.set(core, running + 1);
  const subscriptionId = core.ids.next("sub");
  let sequence = 0;
  const wants = (environmentId: string, topic: string) =>
    environmentId === environment.id && matchesTopic(pattern, topic);
  const unsubscribe = core.hub.subscribe((notice) => {
    if (!wants(notice.environmentId, notice.topic)) return;
    sequence += 1;
    const isObject = !(notice.data instanceof JsonText) || notice.data.isObject();
    const given = send({
      subscriptionId,
      eventId: notice.eventId,
      topic: notice.topic,
      // Payload: the door must not leave its zero values out.
      [isObject ? "data" : "dataValue"]: asText(notice.data),
      metadata: { timestamp: toTimestamp(core.clock.nowMs()), source: "engine" },
      sequence: String(sequence),
      deliveryAttempt: 1,
    });
    if (!given)
      core.undelivered(notice, `a stream was cut off with more than ${MAX_UNREAD_STREAM_BYTES} bytes unread`);
  }, wants);
  await new Promise<void>((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener("abort", () => resolve(), { once: true });
  });
  unsubscribe();
  open.set(core, (open.get(core) ?? 1) - 1);
};

const asText = (data: Record<string, unknown> | JsonText) =>
  data instanceof JsonText ? data : new JsonText(encodeJson(data));

const tooMany = () => new ApiError("resource_exhausted", `more than ${maxStreams} streams`);

export const pubsubStreams: Record<string, ConnectStream> = { Subscribe: { run: subscribe } };
