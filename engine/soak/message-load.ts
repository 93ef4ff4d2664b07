import { setTimeout as sleep } from "node:timers/promises";
import { openStream } from "../conformance/stream-client.ts";
import type { EngineProcess } from "../testing/engine-process.ts";
import { DATA_EVENT } from "./data-ledger.ts";
import {
  SOAK_GROUP,
  SOAK_PROVIDER,
  SOAK_TOPIC,
  TOLD_FUNCTION,
  type MessageLedger,
} from "./message-ledger.ts";

/** Clients that publish, take their share of a group, deliver webhooks and requeue what the outbox gave up. */
export interface MessageLoad {
  register(engine: EngineProcess, toldEndpoint: string): Promise<void>;
  run(engine: EngineProcess, signal: AbortSignal): Promise<void>;
  /** Works off what there is; whether there may be more. */
  drainOnce(engine: EngineProcess): Promise<boolean>;
}

/** A topic keeps its newest 10,000: the soak's rounds together stay below. */
const mostPerRound = 20;
const members = 2;

export function createMessageLoad(ledger: MessageLedger): MessageLoad {
  let numbers = 0;
  let token = "";
  /** Sent and not answered: sent again, under the same key, until they are. */
  const lost = { publishes: new Set<number>(), hooks: new Set<number>() };

  async function publish(engine: EngineProcess, n: number): Promise<void> {
    lost.publishes.add(n);
    const { eventId } = await engine.ask("PubSubService/Publish", {
      topic: SOAK_TOPIC,
      data: { n },
      idempotencyKey: `publish-${n}`,
    });
    ledger.published(n, String(eventId));
    lost.publishes.delete(n);
  }

  async function deliver(engine: EngineProcess, n: number): Promise<void> {
    lost.hooks.add(n);
    const response = await fetch(`${engine.url}/api/v1/webhooks/${SOAK_PROVIDER}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: `Bearer ${token}` },
      body: `type=sent&id=hook-${n}&n=${n}`,
    });
    const body = (await response.json()) as { event_id?: string };
    if (response.status !== 200) ledger.fault(`webhook ${n} was answered ${response.status}`);
    ledger.received(n, String(body.event_id));
    lost.hooks.delete(n);
  }

  async function send(engine: EngineProcess, signal: AbortSignal): Promise<void> {
    for (let sent = 0; sent < mostPerRound && !signal.aborted; sent += 1) {
      for (const n of lost.publishes) await publish(engine, n);
      for (const n of lost.hooks) await deliver(engine, n);
      await publish(engine, (numbers += 1));
      await deliver(engine, (numbers += 1));
      await sleep(5);
    }
  }

  /** Acknowledges what a member is given until its stream ends. */
  async function consume(engine: EngineProcess, signal: AbortSignal): Promise<void> {
    const stream = await openStream(
      { url: engine.url, apiKey: undefined },
      "PubSubService/JoinConsumerGroup",
      {
        groupName: SOAK_GROUP,
      },
    );
    const close = () => stream.close();
    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) close();
    try {
      for (;;) {
        const delivery = await stream.next().catch(() => undefined);
        if (delivery === undefined || signal.aborted) return;
        const [eventId, consumerId] = [String(delivery["eventId"]), String(delivery["subscriptionId"])];
        ledger.given(consumerId, eventId);
        ledger.acknowledging(eventId);
        const answer = await engine.connect("PubSubService/AckEvent", {
          groupName: SOAK_GROUP,
          consumerId,
          eventId,
          ackType: "ACK_TYPE_ACK",
        });
        if (answer.status === 200) ledger.acknowledged(eventId);
        else ledger.fault(`the acknowledgement of ${eventId} was answered ${answer.status}`);
      }
    } finally {
      signal.removeEventListener("abort", close);
      close();
    }
  }

  /** Gives the outbox its dead deliveries back; whether there was one. */
  async function requeue(engine: EngineProcess): Promise<boolean> {
    const { body } = await engine.rest("/api/v1/outbox/dead-letter?env=env_default&limit=500");
    const ids = new Set((body["items"] as { event_id: string }[]).map((item) => item.event_id));
    for (const id of ids) {
      const { status } = await engine.rest(`/api/v1/outbox/dead-letter/${id}/requeue?env=env_default`, {});
      // Another call may have been first, at an event with two rows.
      if (status === 200) ledger.requeued(id);
      else if (status !== 404) ledger.fault(`requeue of ${id} was answered ${status}`);
    }
    return ids.size > 0;
  }

  async function untilGone(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
    });
  }

  return {
    register: async (engine, toldEndpoint) => {
      await engine.ask("RegisterFunction", {
        id: TOLD_FUNCTION,
        triggers: [{ event: DATA_EVENT }],
        endpointUrl: toldEndpoint,
        retry: { maxAttempts: 1_000, initialDelayMs: 10, backoffFactor: 1 },
      });
      await engine.ask("PubSubService/CreateConsumerGroup", {
        name: SOAK_GROUP,
        pattern: `topic:${SOAK_TOPIC}`,
        ackMode: "ACK_MODE_MANUAL",
        // Only a member that goes, or the engine's end, gives a delivery to somebody else.
        redeliverDelayMs: 3_600_000,
        maxRedeliveries: 1_000,
      });
      const source = await engine.ask("WebhookService/CreateWebhookSource", { provider: SOAK_PROVIDER });
      token = String(source["ingest_token"]);
    },
    run: async (engine, signal) => {
      const clients = [
        send(engine, signal),
        requeue(engine),
        ...Array.from({ length: members }, () => consume(engine, signal)),
      ];
      await Promise.all(clients.map(untilGone));
    },
    drainOnce: async (engine) => {
      for (const n of lost.publishes) await publish(engine, n);
      for (const n of lost.hooks) await deliver(engine, n);
      const requeued = await requeue(engine);
      const end = new AbortController();
      const consuming = consume(engine, end.signal);
      await sleep(200);
      end.abort();
      await consuming;
      const stats = await engine.ask("PubSubService/GetTopicStats", { topic: SOAK_TOPIC });
      return requeued || stats["lag"] !== undefined;
    },
  };
}
