import type { JsonText } from "../json/json-text.ts";

/** Something that happened, after it was committed. */
export interface Notice {
  environmentId: string;
  topic: string;
  data: Record<string, unknown> | JsonText;
  eventId?: string;
}

/** Hands notices to whoever listens. Nothing is kept: who was not there reads the lists. */
export interface Hub {
  /** Nobody listens: building a notice would be for nothing. */
  isQuiet(): boolean;
  /** @throws what a listener threw, once all have been told */
  publish(notice: Notice): void;
  /** The answer ends the subscription. */
  subscribe(listener: (notice: Notice) => void): () => void;
}

export function createHub(): Hub {
  const listeners = new Set<(notice: Notice) => void>();
  return {
    isQuiet: () => listeners.size === 0,
    publish: (notice) => {
      const errors: unknown[] = [];
      for (const listener of listeners) {
        try {
          listener(notice);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
