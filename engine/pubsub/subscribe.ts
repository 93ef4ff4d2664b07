import type { SubscribeOptions } from "../contract/consumer-groups.ts";
import { GroupPattern } from "../contract/consumer-groups.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { viewEvent } from "../execute/event-view.ts";
import { compileExpression, type Expression } from "../execute/expression.ts";
import type { Notice } from "../execute/hub.ts";
import { matchesTopic } from "../execute/pattern.ts";
import { encodeJson, JsonText } from "../json/json-text.ts";
import type { GroupRow } from "../store/consumer-groups.ts";
import type { Member } from "./group-hub.ts";
import { createGroup } from "./groups.ts";
import { EVENTS_KIND, type Told } from "./messages.ts";
import { replayAfter, replayNewest, type Replay } from "./replay.ts";

/** What a subscriber is given. */
export interface Sent {
  topic: string;
  eventId: string | undefined;
  data: Record<string, unknown> | JsonText;
  /** 0 for what is not kept. */
  sequence: number;
  timestampMs: number;
  /** Which time the delivery comes, from 1. */
  attempt: number;
}

/** The connection of a subscription. */
export interface Subscriber {
  /** False once it is being closed: what is sent then is lost. */
  isOpen(): boolean;
  /** What waits for a client that does not read, bytes. */
  unreadBytes(): number;
  /** False: the client does not read, and was cut off. */
  send(sent: Sent): boolean;
  /** Nothing comes any more. */
  onEnd(error: ApiError): void;
}

export interface Subscription {
  /** A member of a group acknowledges under this id. */
  id: string;
  /** The group whose member it is. */
  groupId: string | undefined;
  /** Nothing is sent before: so the subscriber can be told its id first. */
  begin(): void;
  close(): void;
}

/** What was there before goes out only while less than this is unread, bytes. */
const sendBelowUnreadBytes = 256 * 1024;
const drainCheckMs = 20;
/** What may come while a subscriber is still given what was there before, chars. */
const maxHeldChars = 4 * 1024 * 1024;

export interface Wanted {
  environmentId: string;
  pattern: string;
  options: SubscribeOptions;
  /** Why a client that does not read is cut off. */
  unread: string;
}

/**
 * Without a group every notice whose topic matches, at most once, after what `replay` or `startAfterSequence` ask for; with
 * one a share of what the group gets, again until it is acknowledged.
 * @throws ApiError invalid_argument, resource_exhausted
 */
export async function subscribe(core: Core, wanted: Wanted, subscriber: Subscriber): Promise<Subscription> {
  const { options } = wanted;
  if (options.consumerGroup !== undefined && options.consumerGroup !== "") {
    if (options.replay !== undefined && options.replay > 0)
      throw new ApiError("invalid_argument", "options.replay: a consumer group has its own position");
    if (options.startAfterSequence !== undefined)
      throw new ApiError(
        "invalid_argument",
        "options.start_after_sequence: a consumer group has its own position",
      );
    const group = await groupFor(core, wanted, options.consumerGroup);
    return joinGroup(core, group, subscriber);
  }
  return listen(core, wanted, subscriber);
}

/** A group that does not exist is made as the subscription describes it. */
async function groupFor(
  core: Core,
  { environmentId, pattern, options }: Wanted,
  name: string,
): Promise<GroupRow> {
  const known = core.store.groups.get(environmentId, name);
  if (known === undefined) {
    const parsed = GroupPattern.safeParse(pattern);
    if (!parsed.success)
      throw new ApiError(
        "invalid_argument",
        `pattern: ${parsed.error.issues[0]?.message ?? "is not allowed"}`,
      );
    return core.writer.write(
      (tx) =>
        core.store.groups.get(environmentId, name) ??
        createGroup(core, tx, environmentId, {
          namespace: undefined,
          name,
          pattern,
          filterExpr: options.filter,
          ackMode: options.ackMode,
          backpressure: options.backpressure,
        }),
    );
  }
  if (known.pattern !== pattern)
    throw new ApiError("invalid_argument", `pattern: consumer group ${name} has ${known.pattern}`);
  return known;
}

/** Takes a share of a group, under an id that is new each time. */
export function joinGroup(core: Core, group: GroupRow, subscriber: Subscriber): Subscription {
  const id = core.ids.next("sub");
  let leave: (() => void) | undefined;
  let closed = false;
  const member: Member = {
    id,
    hasRoom: () => subscriber.isOpen() && subscriber.unreadBytes() < sendBelowUnreadBytes,
    deliver: (told, attempt) => subscriber.isOpen() && subscriber.send(sentOf(told, attempt)),
    onDropped: () => subscriber.onEnd(new ApiError("not_found", `consumer group ${group.name} was deleted`)),
  };
  return {
    id,
    groupId: group.id,
    begin: () => {
      if (!closed) leave ??= core.groups.join(group, member);
    },
    close: () => {
      closed = true;
      leave?.();
    },
  };
}

const sentOf = (told: Told, attempt: number): Sent => ({
  topic: told.topic,
  eventId: told.id,
  data: told.data,
  sequence: told.sequence,
  timestampMs: told.timestampMs,
  attempt,
});

function listen(
  core: Core,
  { environmentId, pattern, options, unread }: Wanted,
  subscriber: Subscriber,
): Subscription {
  const filter =
    options.filter === undefined || options.filter === ""
      ? undefined
      : compileExpression(options.filter, "options.filter");
  /** Undefined once everything of before has been sent. */
  let replay: Replay | undefined = replayOf(core, environmentId, pattern, options) ?? (() => undefined);
  const replayed = new Set<string>();
  /** What came meanwhile. */
  let held: { notice: Notice; chars: number }[] = [];
  let heldChars = 0;
  let cancelLook: (() => void) | undefined;
  let closed = false;

  const tell = (notice: Notice): void => {
    if (closed || !passes(filter, notice)) return;
    const { told } = notice;
    const given = subscriber.send({
      topic: notice.topic,
      eventId: notice.eventId,
      data: notice.data,
      sequence: told?.sequence ?? 0,
      timestampMs: told?.timestampMs ?? core.clock.nowMs(),
      attempt: 1,
    });
    if (!given) cutOff(notice);
  };
  const cutOff = (notice: Notice) => {
    close();
    core.undelivered(notice, unread);
  };
  const close = () => {
    closed = true;
    cancelLook?.();
    stop();
    held = [];
  };
  const wants = (noticeEnvironmentId: string, topic: string) =>
    noticeEnvironmentId === environmentId && matchesTopic(pattern, topic);
  const stop = core.hub.subscribe((notice) => {
    if (!wants(notice.environmentId, notice.topic)) return;
    if (replay === undefined) {
      tell(notice);
      return;
    }
    const chars = textOf(notice.data).length;
    heldChars += chars;
    if (heldChars > maxHeldChars) {
      subscriber.onEnd(new ApiError("resource_exhausted", unread));
      cutOff(notice);
    } else held.push({ notice, chars });
  }, wants);

  /** What was there before, and then what came meanwhile, as fast as the client reads. */
  function sendStored(): void {
    cancelLook = undefined;
    while (replay !== undefined) {
      if (closed) return;
      if (subscriber.unreadBytes() > sendBelowUnreadBytes) {
        cancelLook = core.clock.after(drainCheckMs, sendStored);
        return;
      }
      const told = replay();
      if (told !== undefined) {
        // What is published is told as it is stored, so it cannot be both; what is appended to a stream is told later.
        if (told.topic.startsWith(EVENTS_KIND)) replayed.add(told.id);
        tell({ environmentId, topic: told.topic, data: told.data, eventId: told.id, told });
        continue;
      }
      const next = held.shift();
      if (next === undefined) replay = undefined;
      else {
        heldChars -= next.chars;
        if (next.notice.told === undefined || !replayed.has(next.notice.told.id)) tell(next.notice);
      }
    }
    replayed.clear();
  }

  return { id: core.ids.next("sub"), groupId: undefined, begin: sendStored, close };
}

function replayOf(
  core: Core,
  environmentId: string,
  pattern: string,
  options: SubscribeOptions,
): Replay | undefined {
  const { replay, startAfterSequence } = options;
  if (startAfterSequence === undefined)
    return replay === undefined || replay === 0
      ? undefined
      : replayNewest(core, environmentId, pattern, replay);
  if (replay !== undefined && replay > 0)
    throw new ApiError("invalid_argument", "options.replay: not together with start_after_sequence");
  if (!pattern.startsWith("topic:"))
    throw new ApiError("invalid_argument", "options.start_after_sequence: only for topic:…");
  return replayAfter(core, environmentId, pattern, startAfterSequence);
}

const textOf = (data: Notice["data"]) => (data instanceof JsonText ? data.text : encodeJson(data));

/** A filter that cannot be evaluated lets nothing through. */
function passes(filter: Expression | undefined, notice: Notice): boolean {
  if (filter === undefined) return true;
  const view = viewEvent(
    notice.told?.event ?? {
      id: notice.eventId ?? "",
      name: notice.topic,
      data: textOf(notice.data),
      source: "engine",
      metadata: null,
      timestamp: 0,
    },
  );
  try {
    return filter.test(view.plain(), view.budget);
  } catch {
    return false;
  }
}
