import { toTimestamp } from "../clock.ts";
import type { viewEvent } from "../execute/event-view.ts";
import type { Notice } from "../execute/hub.ts";
import { JsonText } from "../json/json-text.ts";
import type { NewEvent } from "../store/events.ts";
import type { DeliveryRow } from "../store/group-deliveries.ts";
import type { Store } from "../store/store.ts";
import type { TopicMessage } from "../store/topics.ts";

export const TOPIC_KIND = "topic:";
export const EVENTS_KIND = "events:";

/** A message that is kept: of a topic, or an event. */
export interface Told {
  environmentId: string;
  topic: string;
  id: string;
  /** Its number among all messages of topics, or among all events. */
  sequence: number;
  timestampMs: number;
  data: Record<string, unknown> | JsonText;
  /** As filters see it. */
  event: Parameters<typeof viewEvent>[0];
}

export function toldOfMessage(message: TopicMessage): Told {
  return {
    environmentId: message.environment_id,
    topic: `${TOPIC_KIND}${message.topic}`,
    id: message.id,
    sequence: message.seq,
    timestampMs: message.created_at,
    data: new JsonText(message.data),
    event: {
      id: message.id,
      name: message.topic,
      data: message.data,
      source: "topic",
      metadata: null,
      timestamp: message.created_at,
    },
  };
}

export type StoredEvent = NewEvent & { seq: number };

export function toldOfEvent(event: StoredEvent): Told {
  const topic = `${EVENTS_KIND}${event.name}`;
  return {
    environmentId: event.environment_id,
    topic,
    id: event.id,
    sequence: event.seq,
    timestampMs: event.timestamp,
    data: eventNotice(event, topic).data,
    event,
  };
}

export const noticeOf = (told: Told): Notice => ({
  environmentId: told.environmentId,
  topic: told.topic,
  data: told.data,
  eventId: told.id,
  told,
});

/** What is told about an event on a topic. */
export function eventNotice(event: NewEvent, topic: string): Notice {
  return {
    environmentId: event.environment_id,
    topic,
    eventId: event.id,
    data: {
      id: event.id,
      name: event.name,
      data: new JsonText(event.data),
      timestamp: toTimestamp(event.timestamp),
      source: event.source,
      ...(event.entity_id == null
        ? {}
        : {
            entity_id: event.entity_id,
            entity_type: event.entity_type,
            entity_version: event.entity_version,
          }),
    },
  };
}

/** What a delivery is about, as it is stored now; undefined when it is gone. */
export function readMessage(
  store: Store,
  environmentId: string,
  row: Pick<DeliveryRow, "topic" | "message_id">,
): Told | undefined {
  if (row.topic.startsWith(TOPIC_KIND)) {
    const message = store.topics.message(environmentId, row.message_id);
    return message && toldOfMessage(message);
  }
  const event = store.events.get(environmentId, row.message_id);
  return event && toldOfEvent(event);
}
