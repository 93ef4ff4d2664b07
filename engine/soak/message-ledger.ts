import type { MessageSnapshot } from "./message-snapshot.ts";

/** The names that the soak's messages, deliveries and appended events have. */
export const SOAK_TOPIC = "soak";
export const SOAK_GROUP = "soak-group";
export const SOAK_PROVIDER = "soak-hook";
export const HOOK_EVENT = `${SOAK_PROVIDER}.sent`;
/** Every appended event starts one run of it: that is how a delivery of the outbox is seen. */
export const TOLD_FUNCTION = "soak-told";

/**
 * What the engine has acknowledged of messages on a topic and their group, of webhooks, and of what its outbox owes; none of
 * it may be lost or doubled.
 */
export interface MessageLedger {
  published(n: number, eventId: string): void;
  /** A member of the group was given a message. */
  given(member: string, eventId: string): void;
  acknowledging(eventId: string): void;
  acknowledged(eventId: string): void;
  received(n: number, eventId: string): void;
  requeued(eventId: string): void;
  fault(text: string): void;
  /** The engine is gone: nobody holds anything. */
  killed(): void;
  compare(snapshot: MessageSnapshot): string[];
  /** Further checks for when everything is delivered. */
  compareEnd(snapshot: MessageSnapshot): string[];
  counts(): { publishes: number; acks: number; webhooks: number; requeues: number };
}

export function createMessageLedger(): MessageLedger {
  const publishes = new Map<number, string>();
  const hooks = new Map<number, string>();
  const tried = new Set<string>();
  const acked = new Set<string>();
  const heldBy = new Map<string, string>();
  const faults: string[] = [];
  let requeues = 0;

  const remember = (what: string, known: Map<number, string>, n: number, eventId: string) => {
    const before = known.get(n);
    if (before !== undefined && before !== eventId)
      faults.push(`${what} ${n} was acknowledged as ${before}, then as ${eventId}`);
    known.set(n, eventId);
  };

  /** Each acknowledged one is there, and no number twice. */
  function once(
    what: string,
    rows: readonly { id: string; n: number }[],
    known: Map<number, string>,
  ): string[] {
    const found: string[] = [];
    const stored = new Map<number, string>();
    for (const { id, n } of rows) {
      const other = stored.get(n);
      if (other !== undefined) found.push(`${what} ${n} is stored twice, as ${other} and ${id}`);
      stored.set(n, id);
    }
    for (const [n, eventId] of known)
      if (stored.get(n) !== eventId) found.push(`the acknowledged ${what} ${n} (${eventId}) is missing`);
    return found;
  }

  function compareGroup({ messages, owed, group }: MessageSnapshot): string[] {
    const found: string[] = [];
    const waiting = new Set(owed);
    if (group !== undefined && group.waiting !== owed.length)
      found.push(`the group counts ${group.waiting} deliveries and has ${owed.length}`);
    for (const { id } of messages) {
      if (acked.has(id) && waiting.has(id)) found.push(`message ${id} was acknowledged and is owed`);
      if (!tried.has(id) && !waiting.has(id))
        found.push(`message ${id} was never acknowledged and is not owed`);
    }
    return found;
  }

  /** An appended event has started its run, or the outbox still owes it: one of both. */
  function compareOutbox({ appended, told, outbox }: MessageSnapshot): string[] {
    const delivered = new Set(told);
    const owed = new Set(outbox.filter(({ kind }) => kind === "event").map((row) => row.event_id));
    return appended.flatMap((id) => {
      if (delivered.has(id) === owed.has(id))
        return [
          `appended event ${id} ${delivered.has(id) ? "is delivered and owed" : "is lost by the outbox"}`,
        ];
      return [];
    });
  }

  const compare = (snapshot: MessageSnapshot) => [
    ...faults.splice(0),
    ...once("publish", snapshot.messages, publishes),
    ...once("webhook", snapshot.hooks, hooks),
    ...compareGroup(snapshot),
    ...compareOutbox(snapshot),
  ];

  return {
    published: (n, eventId) => remember("publish", publishes, n, eventId),
    given: (member, eventId) => {
      const holder = heldBy.get(eventId);
      if (holder !== undefined && holder !== member)
        faults.push(`message ${eventId} was given to ${member} while ${holder} held it`);
      if (acked.has(eventId)) faults.push(`message ${eventId} was given again after it was acknowledged`);
      heldBy.set(eventId, member);
    },
    acknowledging: (eventId) => {
      tried.add(eventId);
    },
    acknowledged: (eventId) => {
      acked.add(eventId);
      heldBy.delete(eventId);
    },
    received: (n, eventId) => remember("webhook", hooks, n, eventId),
    requeued: () => {
      requeues += 1;
    },
    fault: (text) => {
      faults.push(text);
    },
    killed: () => heldBy.clear(),
    compare,
    compareEnd: (snapshot) => [
      ...compare(snapshot),
      ...snapshot.outbox.map((row) => `the outbox still owes ${row.kind} ${row.event_id} at the end`),
      ...snapshot.owed.map((id) => `the group still owes ${id} at the end`),
    ],
    counts: () => ({ publishes: publishes.size, acks: acked.size, webhooks: hooks.size, requeues }),
  };
}
