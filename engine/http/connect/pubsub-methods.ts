import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { JoinGroupRequest, SubscribeOptions, TopicPattern } from "../../contract/consumer-groups.ts";
import { ApiError } from "../../errors.ts";
import { encodeJson, JsonText } from "../../json/json-text.ts";
import { findGroup } from "../../pubsub/groups.ts";
import {
  joinGroup,
  subscribe,
  type Sent,
  type Subscriber,
  type Subscription,
} from "../../pubsub/subscribe.ts";
import type { Call } from "../call.ts";
import { int64Text } from "../protojson.ts";
import { MAX_UNREAD_STREAM_BYTES, type ConnectStream, type SendMessage } from "./stream.ts";

const SubscribeRequest = z.strictObject({ pattern: TopicPattern, options: SubscribeOptions.optional() });

/** Streams at the same time; each holds a connection. */
const maxStreams = 64;
const open = new WeakMap<Call["core"], number>();

/** Sends what a subscription brings, until the client goes or the subscription ends. @throws ApiError */
async function serve(
  { core, gone }: Call,
  send: SendMessage,
  begin: (subscriber: Subscriber) => Promise<Subscription> | Subscription,
): Promise<void> {
  const running = open.get(core) ?? 0;
  if (running >= maxStreams) throw new ApiError("resource_exhausted", `more than ${maxStreams} streams`);
  open.set(core, running + 1);
  let subscription: Subscription | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      gone.addEventListener("abort", () => resolve(), { once: true });
      const subscriber: Subscriber = {
        isOpen: () => send.isOpen(),
        unreadBytes: () => send.unreadBytes(),
        send: (sent) => send(toMessage(subscription?.id ?? "", sent)),
        onEnd: reject,
      };
      Promise.resolve(begin(subscriber)).then((made) => {
        subscription = made;
        if (gone.aborted) resolve();
        else made.begin();
      }, reject);
    });
  } finally {
    subscription?.close();
    open.set(core, (open.get(core) ?? 1) - 1);
  }
}

function toMessage(subscriptionId: string, sent: Sent): Record<string, unknown> {
  const isObject = !(sent.data instanceof JsonText) || sent.data.isObject();
  return {
    subscriptionId,
    eventId: sent.eventId,
    topic: sent.topic,
    // Payload: the door must not leave its zero values out.
    [isObject ? "data" : "dataValue"]:
      sent.data instanceof JsonText ? sent.data : new JsonText(encodeJson(sent.data)),
    metadata: { timestamp: toTimestamp(sent.timestampMs), source: "engine" },
    sequence: int64Text(sent.sequence),
    deliveryAttempt: sent.attempt,
  };
}

export const pubsubStreams: Record<string, ConnectStream> = {
  /** Every notice whose topic matches, or a share of what a group gets. */
  Subscribe: {
    run: async (call, message, send) => {
      const { pattern, options } = SubscribeRequest.parse(message);
      const wanted = {
        environmentId: call.environment.id,
        pattern,
        options: options ?? SubscribeOptions.parse({}),
        unread: `a stream was cut off with more than ${MAX_UNREAD_STREAM_BYTES} bytes unread`,
      };
      await serve(call, send, (subscriber) => subscribe(call.core, wanted, subscriber));
    },
  },
  /** A share of what a group gets. The server says in each delivery as who it is acknowledged (`subscriptionId`). */
  JoinConsumerGroup: {
    run: async (call, message, send) => {
      const { groupName } = JoinGroupRequest.parse(message);
      const group = findGroup(call.core, call.environment.id, groupName);
      await serve(call, send, (subscriber) => joinGroup(call.core, group, subscriber));
    },
  },
};
