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
  publish(notice: Notice): void;
  /** The answer ends the subscription. */
  subscribe(listener: (notice: Notice) => void): () => void;
}

export function createHub(): Hub {
  const listeners = new Set<(notice: Notice) => void>();
  return {
    isQuiet: () => listeners.size === 0,
    publish: (notice) => {
      for (const listener of listeners) listener(notice);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
