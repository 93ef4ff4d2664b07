import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { Namespace } from "../../contract/consumer-groups.ts";
import { TopicName } from "../../contract/topics.ts";
import { ApiError } from "../../errors.ts";
import { publish } from "../../execute/publish.ts";
import type { TopicRow } from "../../store/topics.ts";
import type { Call } from "../call.ts";
import { IdempotencyKey } from "../fields.ts";
import { int64Text } from "../protojson.ts";
import { payloadOf, Struct } from "./emit-methods.ts";
import { method, type ConnectMethod } from "./method.ts";

/** Subscriptions that would get a message of this topic now. */
const consumers = ({ core, environment }: Call, topic: string) =>
  core.hub.listeners(environment.id, `topic:${topic}`) +
  core.groups.listeners(environment.id, `topic:${topic}`);

const counts = (call: Call, row: TopicRow) => ({
  name: row.topic,
  messageCount: String(row.messages),
  consumerCount: consumers(call, row.topic),
});

/** The part of `ironflow.v1.PubSubService` that is about topics, section 2.14. */
export const topicMethods: Record<string, ConnectMethod> = {
  Publish: method(
    z.strictObject({
      topic: TopicName,
      data: Struct.optional(),
      dataValue: z.unknown().optional(),
      idempotencyKey: IdempotencyKey.optional(),
      namespace: Namespace,
    }),
    async ({ core, environment, runId }, input) => {
      const { eventId, sequence } = await core.writer.write((tx) =>
        publish(core, tx, {
          environmentId: environment.id,
          topic: input.topic,
          data: payloadOf(input),
          idempotencyKey: input.idempotencyKey,
          runId,
        }),
      );
      return { eventId, sequence: String(sequence) };
    },
    ["data", "dataValue"],
  ),
  ListTopics: method(z.strictObject({}), (call) => ({
    topics: call.core.store.topics.list(call.environment.id).map((row) => ({
      ...counts(call, row),
      firstMessageAt: toTimestamp(row.first_at),
      lastMessageAt: toTimestamp(row.last_at),
    })),
  })),
  GetTopicStats: method(z.strictObject({ topic: TopicName }), (call, { topic }) => {
    const row = call.core.store.topics.get(call.environment.id, topic);
    if (row === undefined) throw new ApiError("not_found", `topic ${topic} not found`);
    return {
      ...counts(call, row),
      lag: int64Text(call.core.store.groupDeliveries.lag(call.environment.id, `topic:${topic}`)),
      firstSeq: String(row.first_seq),
      lastSeq: String(row.last_seq),
    };
  }),
};
