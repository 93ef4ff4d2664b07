import type { Core } from "../core.ts";
import { isPattern, matchesTopic } from "../execute/pattern.ts";
import { EVENTS_KIND, readMessage, TOPIC_KIND, type Told } from "./messages.ts";

/** Gives what was there before a subscription, one by one, the oldest first; undefined once there is no more. */
export type Replay = () => Told | undefined;

/** Rows that are looked at for a pattern with wildcards. */
const scannedRows = 10_000;
const page = 200;

interface Place {
  topic: string;
  id: string;
  at: number;
}

/** The one name that the pattern means, undefined for several; false when it can mean nothing of this kind. */
function nameIn(pattern: string, kind: string): string | undefined | false {
  if (pattern.startsWith(kind)) {
    const name = pattern.slice(kind.length);
    return isPattern(name) ? undefined : name;
  }
  return pattern.includes(":") ? false : undefined;
}

/** The newest `count` messages and events that match, the oldest first. */
export function replayNewest(core: Core, environmentId: string, pattern: string, count: number): Replay {
  const { topics, events } = core.store;
  const places: Place[] = [];
  const add = (kind: string, find: (name: string | undefined, limit: number) => Place[]) => {
    const name = nameIn(pattern, kind);
    if (name === false) return;
    const found = find(name, name === undefined ? scannedRows : count);
    places.push(...found.filter(({ topic }) => matchesTopic(pattern, topic)).slice(0, count));
  };
  add(TOPIC_KIND, (name, limit) =>
    topics
      .newest(environmentId, name, limit)
      .map((row) => ({ topic: `${TOPIC_KIND}${row.topic}`, id: row.id, at: row.created_at })),
  );
  add(EVENTS_KIND, (name, limit) =>
    events
      .newest(environmentId, name, limit)
      .map((row) => ({ topic: `${EVENTS_KIND}${row.name}`, id: row.id, at: row.timestamp })),
  );
  const newest = places
    .map((place, index) => ({ ...place, index }))
    // Both lists are the newest first; of one millisecond each keeps its order.
    .toSorted((a, b) => b.at - a.at || a.index - b.index)
    .slice(0, count);
  return () => {
    for (let place = newest.pop(); place !== undefined; place = newest.pop()) {
      const told = read(core, environmentId, place);
      if (told !== undefined) return told;
    }
    return undefined;
  };
}

/** Every message of topics that match after a number, up to those that are there now. */
export function replayAfter(core: Core, environmentId: string, pattern: string, sequence: number): Replay {
  const { topics } = core.store;
  const name = nameIn(pattern, TOPIC_KIND);
  const wanted = name === false ? undefined : name;
  const last = topics.newest(environmentId, wanted, 1)[0]?.seq ?? 0;
  let after = sequence;
  let found: { seq: number; id: string; topic: string }[] = [];
  return () => {
    for (;;) {
      if (found.length === 0) {
        found = after >= last ? [] : topics.after(environmentId, wanted, after, page);
        if (found.length === 0) return undefined;
      }
      const row = found.shift();
      if (row === undefined || row.seq > last) return undefined;
      after = row.seq;
      const topic = `${TOPIC_KIND}${row.topic}`;
      const told = matchesTopic(pattern, topic)
        ? read(core, environmentId, { topic, id: row.id })
        : undefined;
      if (told !== undefined) return told;
    }
  };
}

const read = (core: Core, environmentId: string, place: Pick<Place, "topic" | "id">) =>
  readMessage(core.store, environmentId, { topic: place.topic, message_id: place.id });
