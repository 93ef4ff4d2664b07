import type { LiveTopic } from "../../mcp/contract/live.ts";

/** Tells readers that something changed in the engine. `everything` is a reconnect, or another engine. */
export type Changes = {
  listen: (topics: readonly LiveTopic[], listener: () => void) => () => void;
  tell: (topic: LiveTopic) => void;
  tellEverything: () => void;
};

export function createChanges(): Changes {
  const listeners = new Set<{ topics: readonly LiveTopic[]; listener: () => void }>();
  return {
    listen(topics, listener) {
      const entry = { topics, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    tell(topic) {
      for (const { topics, listener } of listeners) if (topics.includes(topic)) listener();
    },
    tellEverything() {
      for (const { listener } of listeners) listener();
    },
  };
}
