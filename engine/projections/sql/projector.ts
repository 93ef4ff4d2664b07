import type { Core } from "../../core.ts";
import type { Generation } from "../../store/projection-states.ts";
import type { ProjectionRow } from "../../store/projections.ts";
import type { Tx } from "../../store/writer.ts";
import { writeProgress } from "../advance.ts";
import { announceAdvance, announceProjection } from "../notices.ts";
import { abandonRebuild } from "../rebuild-end.ts";
import {
  findProjection,
  generationOf,
  liveTrack,
  pendingEvents,
  rebuildTrack,
  type Track,
} from "../track.ts";
import { projectionDeadLetter } from "../undecodable.ts";
import { createApplier, TransactionLostError, type Applier } from "./apply.ts";

/** Brings SQL projections up to date, and sweeps away what former generations left. */
export interface Projector {
  /** There may be something to do. */
  wake(): void;
  start(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** Events applied in one change, and how long it may go on with them: others wait for it. */
const batch = 200;
const budgetMs = 15;
const maxBatchChars = 4 * 1024 * 1024;
/** Rows swept away in one change. */
const sweepRows = 500;
/** After an error of the store, ms. */
const retryMs = 1_000;
const maxAppliers = 256;

export function createProjector(core: () => Core): Projector {
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = true;
  let cancelRetry: (() => void) | undefined;
  const appliers = new Map<string, Applier>();

  function applierOf(projection: ProjectionRow, physicalTable: string): Applier {
    const key = `${physicalTable}\n${projection.handlers ?? ""}`;
    let applier = appliers.get(key);
    if (applier === undefined) {
      if (appliers.size >= maxAppliers) appliers.clear();
      appliers.set(key, (applier = createApplier(core(), projection, physicalTable)));
    }
    return applier;
  }

  const tracksOf = (projection: ProjectionRow): Track[] => {
    const rebuild = rebuildTrack(core(), projection);
    return [
      ...(projection.status === "active" ? [liveTrack(projection)] : []),
      ...(rebuild === undefined ? [] : [rebuild]),
    ];
  };

  /** Applies some events of one track. Whether there may be more. @throws TransactionLostError */
  function step(
    tx: Tx,
    { environmentId, name, generation }: Generation,
    lost?: TransactionLostError,
  ): boolean {
    const projection = core().store.projections.get(environmentId, name);
    const track = projection && tracksOf(projection).find((one) => one.generation === generation);
    const table = track?.job?.physical_table ?? projection?.physical_table;
    if (projection === undefined || track === undefined || table == null) return false;
    const pending = pendingEvents(core(), track, { limit: batch, maxBytes: maxBatchChars });
    const applier = applierOf(projection, table);
    const progress = {
      cursorSeq: track.cursorSeq,
      lastEventSeq: track.job?.last_event_seq ?? projection.last_event_seq,
      lastEventId: track.job?.last_event_id ?? projection.last_event_id,
      processed: 0,
    };
    const startedAt = core().clock.nowMs();
    for (const { event } of pending.events) {
      const problem = event.id === lost?.eventId ? lost.message : applier.apply(event);
      if (problem !== undefined) {
        const reached = progress.processed === 0 ? projection : writeProgress(core(), tx, track, progress);
        fail(tx, reached, track, event.id, problem);
        projectionDeadLetter(core(), tx, projection, event, "sql_apply", problem);
        return false;
      }
      progress.cursorSeq = progress.lastEventSeq = event.seq;
      progress.lastEventId = event.id;
      progress.processed += 1;
      if (core().clock.nowMs() - startedAt > budgetMs) break;
    }
    const whole = progress.processed === pending.events.length;
    if (whole) progress.cursorSeq = pending.scannedTo;
    announceAdvance(core(), tx, writeProgress(core(), tx, track, progress));
    return true;
  }

  function fail(tx: Tx, projection: ProjectionRow, track: Track, eventId: string, problem: string): void {
    const error = `event ${eventId}: ${problem}`;
    const job = track.job && core().store.rebuilds.get(track.job.id);
    if (job !== undefined) {
      abandonRebuild(core(), tx, projection, job, { status: "failed", error });
      return;
    }
    const row: ProjectionRow = { ...projection, status: "error", error_message: error, updated_at: tx.nowMs };
    core().store.projections.put(row);
    announceProjection(core(), tx, row, "failed", { error });
  }

  /** Whether a track has something to do, found out without a transaction. */
  function hasWork(projection: ProjectionRow, track: Track): boolean {
    if (track.job !== undefined) return true;
    const { passed } = core().projections;
    const found = pendingEvents(core(), track, {
      limit: 1,
      maxBytes: 1,
      afterSeq: passed.get(track, undefined),
    });
    if (found.events.length > 0) return true;
    passed.set(track, undefined, found.scannedTo);
    return found.scannedTo < core().store.eventScanner.headSeq();
  }

  /** An event at which the transaction was lost is not run again: everything up to it is, and there the track ends. */
  async function advance(of: Generation): Promise<boolean> {
    let lost: TransactionLostError | undefined;
    for (;;) {
      try {
        return await core().writer.write((tx) => step(tx, of, lost));
      } catch (error) {
        if (!(error instanceof TransactionLostError)) throw error;
        // Each one comes before the last: this ends.
        lost = error;
      }
    }
  }

  async function project(): Promise<boolean> {
    let more = false;
    for (const { environment_id: environmentId, name } of core().store.projections.sql()) {
      const projection = findProjection(core(), environmentId, name);
      for (const track of tracksOf(projection)) {
        if (stopped) return false;
        if (!hasWork(projection, track)) continue;
        if (await advance(generationOf(track))) more = true;
      }
    }
    return more;
  }

  /** Removes some of what is left of a generation. Whether there is more. */
  function sweep(): Promise<boolean> {
    const { projections, projectionStates, db } = core().store;
    if (projections.garbage() === undefined) return Promise.resolve(false);
    return core().writer.write(() => {
      const garbage = projections.garbage();
      if (garbage === undefined) return false;
      const { table_name: table, environment_id: environmentId, name, generation } = garbage;
      if (table !== null) {
        if (deleteRows(table) > 0) return true;
        db.exec(`drop table if exists "${table}"`);
      } else if (environmentId !== null && name !== null && generation !== null) {
        if (projectionStates.deleteSome({ environmentId, name, generation }, sweepRows) > 0) return true;
      }
      projections.deleteGarbage(garbage.id);
      return true;
    });
  }

  /** A table without row ids, which cannot be emptied in parts, is dropped as it is. */
  function deleteRows(table: string): number {
    const { db } = core().store;
    const facts = db.prepare<{ wr: number }>("select wr from pragma_table_list where name = ?").get(table);
    if (facts === undefined || facts.wr === 1) return 0;
    return db
      .prepare(`delete from "${table}" where rowid in (select rowid from "${table}" limit ${sweepRows})`)
      .run();
  }

  async function run(): Promise<void> {
    try {
      for (;;) {
        if (stopped) return;
        again = false;
        // `again` may change while others are waited for.
        if (!(await project()) && !(await sweep()) && !(again as boolean)) return;
      }
    } catch (error) {
      again = false;
      if (stopped) return;
      core().log.error({ err: error }, "projections could not be brought up to date, trying again");
      cancelRetry?.();
      cancelRetry = core().clock.after(retryMs, wake);
    }
  }

  function wake(): void {
    if (stopped) return;
    again = true;
    running ??= run().finally(() => {
      running = undefined;
      // What came between the last look and now.
      if (again) wake();
    });
  }

  return {
    wake,
    start: () => {
      stopped = false;
      wake();
    },
    stop: async () => {
      stopped = true;
      cancelRetry?.();
      await running;
    },
  };
}
