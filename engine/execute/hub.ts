import type { JsonText } from "../json/json-text.ts";
import type { Told } from "../pubsub/messages.ts";

/** Something that happened, after it was committed. */
export interface Notice {
  environmentId: string;
  topic: string;
  data: Record<string, unknown> | JsonText;
  eventId?: string;
  /** What it tells, when that is kept. */
  told?: Told;
}

/** Hands notices to whoever listens. Nothing is kept: who was not there reads the lists. */
export interface Hub {
  /** Nobody listens: building a notice would be for nothing. */
  isQuiet(): boolean;
  /** @throws what a listener threw, once all have been told */
  publish(notice: Notice): void;
  /**
   * The answer ends the subscription.
   * @param wants says for `listeners` whether it would take notices of a topic; without it is not counted
   */
  subscribe(listener: (notice: Notice) => void, wants?: Wants): () => void;
  /** How many subscriptions would take a notice of this topic. */
  listeners(environmentId: string, topic: string): number;
}

type Wants = (environmentId: string, topic: string) => boolean;

export function createHub(): Hub {
  const subscriptions = new Set<{ listener: (notice: Notice) => void; wants: Wants }>();
  return {
    isQuiet: () => subscriptions.size === 0,
    publish: (notice) => {
      const errors: unknown[] = [];
      for (const { listener } of subscriptions) {
        try {
          listener(notice);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
    subscribe: (listener, wants = () => false) => {
      const subscription = { listener, wants };
      subscriptions.add(subscription);
      return () => {
        subscriptions.delete(subscription);
      };
    },
    listeners: (environmentId, topic) =>
      [...subscriptions].filter(({ wants }) => wants(environmentId, topic)).length,
  };
}
