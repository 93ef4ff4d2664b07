import * as z from "zod/v4";
import { ProjectionName } from "../../contract/projections.ts";
import type { Core } from "../../core.ts";
import { ApiError, messageOf } from "../../errors.ts";
import { pollEvents } from "../../projections/poll.ts";
import { requireWorkers } from "../../projections/save.ts";
import { findProjection, generationOf, workerTrack, type Track } from "../../projections/track.ts";
import { catchUpOf, waitUntil } from "../../projections/wait.ts";
import { durationMs, int64 } from "../fields.ts";
import { projectionEvent } from "../projection-shapes.ts";
import { int64Text } from "../protojson.ts";
import { partitionText } from "./projection-methods.ts";
import { batchSize } from "./projection-worker-methods.ts";
import type { ConnectStream } from "./stream.ts";

const StreamRequest = z.strictObject({
  name: ProjectionName,
  batchSize,
  partition: partitionText.default(""),
  acceptHeartbeats: z.boolean().default(false),
});

/** A frame goes out at least this often, so that nobody takes the connection for dead, ms. */
const heartbeatMs = 15_000;
/** Events that may be with the worker unsaved: so many batches. */
const batchesAhead = 2;

/** Managed projections that a stream feeds. A second worker polls, which is safe for many. */
const feeding = new WeakMap<Core, Set<string>>();

function feedingOf(core: Core): Set<string> {
  const set = feeding.get(core) ?? new Set<string>();
  feeding.set(core, set);
  return set;
}

/**
 * Events as they come, as far ahead of what is saved as two batches. A worker that streams keeps its state itself, so a
 * managed projection is streamed to one at a time and not while it is rebuilt; `unimplemented` sends SDKs to polling, where
 * every answer brings the state that its events build on. The stream ends when the generation changes.
 */
const streamEvents: ConnectStream = {
  admit: ({ core, environment }, message) => {
    const { name } = StreamRequest.parse(message);
    const projection = requireWorkers(findProjection(core, environment.id, name));
    if (projection.mode === "external") return;
    if (projection.rebuild_id !== null || feedingOf(core).has(`${environment.id}\n${name}`)) {
      throw new ApiError("unimplemented", `${name} is not streamed now: poll its events`);
    }
  },
  run: async (call, message, send) => {
    const { core, environment, gone } = call;
    const input = StreamRequest.parse(message);
    const key = `${environment.id}\n${input.name}`;
    const managed = findProjection(core, environment.id, input.name).mode === "managed";
    if (managed) feedingOf(core).add(key);
    try {
      await feed(call.core, environment.id, input, gone, send);
    } finally {
      if (managed) feedingOf(core).delete(key);
    }
  },
};

async function feed(
  core: Core,
  environmentId: string,
  input: z.output<typeof StreamRequest>,
  gone: AbortSignal,
  send: (message: Record<string, unknown>) => void,
): Promise<void> {
  const { name } = input;
  const partition = input.partition === "" ? undefined : input.partition;
  const { generation } = workerTrack(core, findProjection(core, environmentId, name));
  /** What was given out and is not done, as far as anybody looked. */
  let sent: number[] = [];
  let lookedTo = 0;
  while (!gone.aborted) {
    const seen = core.projections.moves();
    const track = workerTrack(core, findProjection(core, environmentId, name));
    if (track.generation !== generation) return;
    const doneSeq = doneUpTo(core, track, partition);
    sent = sent.filter((seq) => seq > doneSeq);
    if (sent.length < batchesAhead * input.batchSize) {
      const delivery = await pollEvents(core, {
        environmentId,
        name,
        batchSize: input.batchSize,
        partition,
        // While nothing is out, the poll itself knows where to look.
        ...(sent.length === 0 ? {} : { afterSeq: Math.max(lookedTo, sent.at(-1) ?? 0) }),
      });
      if (delivery.track.generation !== generation) return;
      lookedTo = delivery.scannedTo;
      for (const one of delivery.events) {
        send({ ...projectionEvent(one), kind: "PROJECTION_EVENT_KIND_EVENT" });
        sent.push(one.event.seq);
      }
      if (delivery.events.length > 0) continue;
    }
    const moved = await waitUntil(
      core,
      () => (core.projections.moves() === seen ? undefined : true),
      heartbeatMs,
      gone,
    );
    if (moved === undefined && input.acceptHeartbeats && !gone.aborted) {
      send({ kind: "PROJECTION_EVENT_KIND_HEARTBEAT" });
    }
  }
}

/** Up to where everything is done, or everything of one partition. */
function doneUpTo(core: Core, track: Track, partition: string | undefined): number {
  if (partition === undefined) return track.cursorSeq;
  return Math.max(track.cursorSeq, core.store.projectionStates.lastSeq(generationOf(track), partition));
}

/** How long a stream may wait, ms. */
const maxStreamWaitMs = 300_000;
const defaultStreamWaitMs = 30_000;

const WaitRequest = z.strictObject({
  name: ProjectionName,
  minSeq: int64(0).default(0),
  timeout: durationMs(defaultStreamWaitMs, maxStreamWaitMs),
  partition: partitionText.default(""),
});

/** PROGRESS whenever the projection comes closer, HEARTBEAT while it does not, and DONE at the end. */
const waitCatchUp: ConnectStream = {
  run: async ({ core, environment, gone }, message, send) => {
    const { name, minSeq, timeout, partition } = WaitRequest.parse(message);
    const item = { name, minSeq, partition: partition === "" ? undefined : partition };
    const endMs = core.clock.nowMs() + timeout;
    const frame = (kind: string, found: ReturnType<typeof catchUpOf>) => ({
      kind: `WAIT_STREAM_FRAME_KIND_${kind}`,
      currentSeq: int64Text(found.currentSeq),
      targetSeq: int64Text(minSeq),
      behindByEvents: int64Text(found.caughtUp ? 0 : Math.max(1, minSeq - found.currentSeq)),
      mode: found.projection.mode,
    });
    try {
      let found = catchUpOf(core, environment.id, item);
      while (!found.caughtUp && !gone.aborted && core.clock.nowMs() < endMs) {
        const before = found.currentSeq;
        const closer = await waitUntil(
          core,
          () => {
            const now = catchUpOf(core, environment.id, item);
            return now.caughtUp || now.currentSeq > before ? now : undefined;
          },
          Math.min(heartbeatMs, endMs - core.clock.nowMs()),
          gone,
        );
        if (closer === undefined)
          send({ kind: "WAIT_STREAM_FRAME_KIND_HEARTBEAT", targetSeq: int64Text(minSeq) });
        else if (!closer.caughtUp) send(frame("PROGRESS", closer));
        found = closer ?? catchUpOf(core, environment.id, item);
      }
      send({ ...frame("DONE", found), caughtUp: found.caughtUp, timedOut: !found.caughtUp });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      send({ kind: "WAIT_STREAM_FRAME_KIND_DONE", targetSeq: int64Text(minSeq), error: messageOf(error) });
    }
  },
};

export const projectionStreams: Record<string, ConnectStream> = {
  StreamProjectionEvents: streamEvents,
  WaitProjectionCatchupStream: waitCatchUp,
};
