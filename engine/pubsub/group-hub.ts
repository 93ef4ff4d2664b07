import { GROUP_LIMITS, type AckType } from "../contract/consumer-groups.ts";
import type { Core } from "../core.ts";
import { ApiError, messageOf } from "../errors.ts";
import type { DueSource } from "../execute/due-source.ts";
import { viewEvent } from "../execute/event-view.ts";
import { compileExpression } from "../execute/expression.ts";
import { matchesTopic } from "../execute/pattern.ts";
import type { GroupRow } from "../store/consumer-groups.ts";
import type { DeliveryRow } from "../store/group-deliveries.ts";
import type { Tx } from "../store/writer.ts";
import { giveUp, passOver } from "./exhausted.ts";
import { readMessage, type Told } from "./messages.ts";

/** Somebody who takes a share of what a group gets. */
export interface Member {
  /** Whoever acknowledges has to name it. */
  id: string;
  /** False while so much waits unread that more would be pointless. */
  hasRoom(): boolean;
  /** False: it could not be given, and the member is gone. */
  deliver(told: Told, attempt: number): boolean;
  /** The group was deleted: nothing comes any more. */
  onDropped(): void;
}

/** Gives every message to one member of each group that takes it, again until it is acknowledged. */
export interface GroupHub {
  /**
   * Notes a message for the groups that take it, in the change that stores it.
   * @param refusable a full group that blocks refuses it. @throws ApiError resource_exhausted
   */
  offer(tx: Tx, message: () => Told, refusable: boolean): void;
  /** The groups have changed. */
  forget(tx: Tx): void;
  /** There may be something to give. */
  wake(groupId: string): void;
  dropped(groupId: string): void;
  /** The answer ends the membership: what the member held is given to others. A group that is gone drops it at once. */
  join(group: GroupRow, member: Member): () => void;
  members(groupId: string): number;
  /** Members of this environment's groups that take the topic. */
  listeners(environmentId: string, topic: string): number;
  /** @throws ApiError not_found when this member does not hold the message */
  settle(tx: Tx, groupId: string, wanted: Settlement): void;
  /** The time of a delivery is over. */
  expire(tx: Tx, row: DeliveryRow): void;
  start(): Promise<void>;
}

export interface Settlement {
  member: string;
  messageId: string;
  type: AckType;
  redeliverDelayMs?: number | undefined;
}

/** Deliveries that are given in one change. */
const batch = 100;
/** How long a group whose members all have too much unread is left alone, ms. */
const drainCheckMs = 50;
/** After an error of the store, ms. */
const storeRetryMs = 1_000;

export function createGroupHub(core: () => Core): GroupHub {
  /** Groups of all environments as the store has them; undefined when it has to be asked. */
  let known: GroupRow[] | undefined;
  const members = new Map<string, Map<string, Member & { held: number }>>();
  const pumping = new Set<string>();
  const again = new Set<string>();

  const groups = () => (known ??= core().store.groups.all());
  const membersOf = (groupId: string) => members.get(groupId) ?? new Map<string, Member & { held: number }>();

  function takes(tx: Tx, group: GroupRow, told: Told): boolean {
    if (group.filter_expr === "") return true;
    try {
      const view = viewEvent(told.event);
      return compileExpression(group.filter_expr, "filter").test(view.plain(), view.budget);
    } catch (error) {
      passOver(core(), tx, group, told, messageOf(error));
      return false;
    }
  }

  function offer(tx: Tx, message: () => Told, refusable: boolean): void {
    if (groups().length === 0) return;
    const told = message();
    const { groupDeliveries, groups: table } = core().store;
    for (const group of groups()) {
      if (group.environment_id !== told.environmentId || !matchesTopic(group.pattern, told.topic)) continue;
      if (!takes(tx, group, told)) continue;
      const full = (table.byId(group.id)?.waiting ?? 0) >= GROUP_LIMITS.waitingDeliveries;
      if (full && group.backpressure === "block" && refusable)
        throw new ApiError(
          "resource_exhausted",
          `consumer group ${group.name} has ${GROUP_LIMITS.waitingDeliveries} messages that are not acknowledged`,
        );
      if (full || (group.backpressure === "drop" && !hasRoom(group))) {
        table.countDropped(group.id, 1);
        continue;
      }
      groupDeliveries.add(group.id, told.topic, told.id);
      tx.afterCommit(() => wake(group.id));
    }
  }

  const roomOf = (group: GroupRow, member: Member & { held: number }) =>
    member.hasRoom() ? Math.max(0, group.max_inflight - member.held) : 0;

  function hasRoom(group: GroupRow): boolean {
    const waiting = core().store.groupDeliveries.ready(group.id, batch).length;
    const room = [...membersOf(group.id).values()].reduce((sum, member) => sum + roomOf(group, member), 0);
    return room > waiting;
  }

  function wake(groupId: string): void {
    if (membersOf(groupId).size === 0) return;
    if (pumping.has(groupId)) {
      again.add(groupId);
      return;
    }
    pumping.add(groupId);
    pump(groupId)
      .catch((error: unknown) => {
        core().log.error({ err: error, groupId }, "a consumer group could not be served");
        return storeRetryMs;
      })
      .then((waitMs) => {
        pumping.delete(groupId);
        if (again.delete(groupId)) wake(groupId);
        else if (waitMs !== undefined) core().clock.after(waitMs, () => wake(groupId));
      })
      .catch((error: unknown) => core().log.error({ err: error, groupId }, "a consumer group stands still"));
  }

  /** Gives what there is to members that have room. How long to wait when only their reading holds it up, ms. */
  async function pump(groupId: string): Promise<number | undefined> {
    for (;;) {
      again.delete(groupId);
      const given = await core().writer.write((tx) => claim(tx, groupId));
      if (given.length === 0) break;
      const done: Settlement[] = [];
      for (const { row, told, member, auto } of given) {
        // Who left meanwhile has already given back what it was to get.
        if (membersOf(groupId).get(member.id) !== member) continue;
        if (!member.deliver(told, row.attempts)) leave(groupId, member);
        else if (auto) done.push({ member: member.id, messageId: told.id, type: "ack" });
      }
      if (done.length > 0) await settleGiven(groupId, done);
    }
    const group = core().store.groups.byId(groupId);
    const waits = group?.status === "active" && core().store.groupDeliveries.ready(groupId, 1).length > 0;
    const unread = [...membersOf(groupId).values()].some(
      (member) => group !== undefined && member.held < group.max_inflight && !member.hasRoom(),
    );
    return waits && unread ? drainCheckMs : undefined;
  }

  /** Notes which member gets which delivery: whatever happens then, nobody else gets it before its time is over. */
  function claim(tx: Tx, groupId: string) {
    const { groups: table, groupDeliveries } = core().store;
    const group = table.byId(groupId);
    if (group === undefined || group.status !== "active") return [];
    const free = [...membersOf(groupId).values()].map((member) => ({ member, room: roomOf(group, member) }));
    const given: { row: DeliveryRow; told: Told; member: Member & { held: number }; auto: boolean }[] = [];
    for (const row of groupDeliveries.ready(groupId, batch)) {
      const next = free.reduce<(typeof free)[number] | undefined>(
        (best, one) => (one.room > (best?.room ?? 0) ? one : best),
        undefined,
      );
      if (next === undefined) break;
      const told = readMessage(core().store, group.environment_id, row);
      if (told === undefined) {
        // Retention or the topic's own bound has taken it away.
        groupDeliveries.delete(row.seq);
        table.countDropped(groupId, 1);
        continue;
      }
      const dueAt = tx.nowMs + group.redeliver_delay_ms;
      const sent = {
        ...row,
        attempts: row.attempts + 1,
        state: "sent" as const,
        member: next.member.id,
        due_at: dueAt,
      };
      groupDeliveries.put(sent);
      core().timers.wakeAt(tx, dueAt);
      next.room -= 1;
      next.member.held += 1;
      const { member } = next;
      tx.onRollback(() => {
        member.held -= 1;
      });
      given.push({ row: sent, told, member, auto: group.ack_mode === "auto" });
    }
    return given;
  }

  /** What a group that acknowledges by itself has given is done. */
  async function settleGiven(groupId: string, done: readonly Settlement[]): Promise<void> {
    await core().writer.write((tx) => {
      for (const one of done)
        // Its time may have been over, or the group deleted, in between.
        if (core().store.groupDeliveries.held(groupId, one.member, one.messageId) !== undefined)
          settle(tx, groupId, one);
    });
  }

  function settle(tx: Tx, groupId: string, { member, messageId, type, redeliverDelayMs }: Settlement): void {
    const row = core().store.groupDeliveries.held(groupId, member, messageId);
    if (row === undefined)
      throw new ApiError(
        "not_found",
        "no delivery of this event waits for an acknowledgement of this consumer",
      );
    if (type === "nak") {
      const restMs = redeliverDelayMs ?? core().store.groups.byId(groupId)?.redeliver_delay_ms;
      putBack(tx, row, restMs);
    } else {
      core().store.groupDeliveries.delete(row.seq);
      released(tx, row);
    }
  }

  /** Lets a delivery come again, unless it came too often. `restMs`: not before. */
  function putBack(tx: Tx, row: DeliveryRow, restMs: number | undefined): void {
    const { groups: table, groupDeliveries } = core().store;
    const group = table.byId(row.group_id);
    released(tx, row);
    if (group === undefined || row.attempts > group.max_redeliveries) {
      groupDeliveries.delete(row.seq);
      if (group !== undefined) giveUp(core(), tx, group, row);
      return;
    }
    const rest = restMs ?? 0;
    groupDeliveries.put({
      ...row,
      state: rest === 0 ? "ready" : "resting",
      member: null,
      due_at: rest === 0 ? null : tx.nowMs + rest,
    });
    if (rest > 0) core().timers.wakeAt(tx, tx.nowMs + rest);
  }

  /** Its member has room for another one. */
  function released(tx: Tx, row: DeliveryRow): void {
    tx.afterCommit(() => {
      const member = row.member === null ? undefined : membersOf(row.group_id).get(row.member);
      if (member !== undefined) member.held -= 1;
      wake(row.group_id);
    });
  }

  function leave(groupId: string, member: Member): void {
    const own = membersOf(groupId);
    if (!own.delete(member.id)) return;
    if (own.size === 0) members.delete(groupId);
    core()
      .writer.write((tx) => {
        for (const row of core().store.groupDeliveries.heldBy(member.id)) putBack(tx, row, undefined);
      })
      // Their time ends by itself, too.
      .catch((error: unknown) =>
        core().log.warn({ err: error }, "a member's deliveries wait for their time"),
      );
  }

  return {
    offer,
    forget: (tx) => {
      known = undefined;
      tx.onRollback(() => {
        known = undefined;
      });
    },
    wake,
    dropped: (groupId) => {
      const gone = [...membersOf(groupId).values()];
      members.delete(groupId);
      for (const member of gone) member.onDropped();
    },
    join: (group, joining) => {
      if (core().store.groups.byId(group.id) === undefined) {
        joining.onDropped();
        return () => {};
      }
      const own = membersOf(group.id);
      members.set(group.id, own);
      const member = Object.assign(joining, { held: 0 });
      own.set(joining.id, member);
      wake(group.id);
      return () => leave(group.id, member);
    },
    members: (groupId) => membersOf(groupId).size,
    listeners: (environmentId, topic) =>
      groups()
        .filter((group) => group.environment_id === environmentId && matchesTopic(group.pattern, topic))
        .reduce((sum, group) => sum + membersOf(group.id).size, 0),
    settle,
    expire: (tx, row) => {
      if (row.state === "sent") putBack(tx, row, undefined);
      else {
        core().store.groupDeliveries.put({ ...row, state: "ready", member: null, due_at: null });
        tx.afterCommit(() => wake(row.group_id));
      }
    },
    start: async () => {
      await core().writer.write(() => core().store.groupDeliveries.releaseAll());
    },
  };
}

/** A delivery whose member did not answer in time, or that has rested. */
export const groupSource: DueSource<DeliveryRow> = {
  name: "consumer group",
  earliest: (store, limit) => store.groupDeliveries.earliest(limit),
  reread: (store, row) => {
    const now = store.groupDeliveries.get(row.seq);
    return now?.due_at === null ? undefined : now;
  },
  dueAt: (row) => row.due_at ?? Number.POSITIVE_INFINITY,
  key: (row) => String(row.seq),
  fire: (core, tx, row) => core.groups.expire(tx, row),
};
