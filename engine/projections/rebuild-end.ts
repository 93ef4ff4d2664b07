import type { Core } from "../core.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { RebuildRow } from "../store/rebuild-jobs.ts";
import type { Tx } from "../store/writer.ts";
import { announceProjection } from "./notices.ts";

/** Makes what a rebuild has built the read model, in one change; the old one is swept away afterwards. */
export function finishRebuild(core: Core, tx: Tx, projection: ProjectionRow, job: RebuildRow): ProjectionRow {
  core.store.rebuilds.update({ ...job, status: "completed", ended_at: tx.nowMs });
  const row =
    job.partition_key === ""
      ? swapGeneration(core, tx, projection, job)
      : swapPartition(core, tx, projection, job);
  core.store.projections.put(row);
  announceProjection(core, tx, row, "rebuild_completed", { job_id: job.id, events: job.events_processed });
  return row;
}

function swapGeneration(core: Core, tx: Tx, projection: ProjectionRow, job: RebuildRow): ProjectionRow {
  dropGeneration(core, projection, projection.generation, projection.physical_table);
  return {
    ...projection,
    generation: job.generation,
    physical_table: job.physical_table,
    cursor_seq: Math.max(job.cursor_seq, job.target_seq),
    last_event_seq: job.last_event_seq,
    last_event_id: job.last_event_id,
    status: "active",
    error_message: null,
    rebuild_id: null,
    updated_at: tx.nowMs,
  };
}

function swapPartition(core: Core, tx: Tx, projection: ProjectionRow, job: RebuildRow): ProjectionRow {
  const { projectionStates } = core.store;
  const of = { environmentId: projection.environment_id, name: projection.name, generation: job.generation };
  const built = projectionStates.get(of, job.partition_key);
  // Events that the rebuild left out are not to come back from the cursor of the whole.
  if (built !== undefined) {
    projectionStates.put({ ...built, last_event_seq: Math.max(built.last_event_seq, job.target_seq) });
  }
  projectionStates.move(of, job.partition_key, projection.generation);
  return { ...projection, rebuild_id: null, updated_at: tx.nowMs };
}

/** Ends a rebuild without its result. The read model stays the one it was. */
export function abandonRebuild(
  core: Core,
  tx: Tx,
  projection: ProjectionRow,
  job: RebuildRow,
  end: { status: "cancelled" } | { status: "failed"; error: string },
): ProjectionRow {
  const error = end.status === "failed" ? end.error : null;
  core.store.rebuilds.update({ ...job, status: end.status, error, ended_at: tx.nowMs });
  dropGeneration(core, projection, job.generation, job.physical_table);
  const row: ProjectionRow = { ...projection, rebuild_id: null, updated_at: tx.nowMs };
  core.store.projections.put(row);
  core.projections.generationChanged(tx, row);
  announceProjection(core, tx, row, `rebuild_${end.status}`, {
    job_id: job.id,
    ...(error === null ? {} : { error }),
  });
  return row;
}

/** Leaves a generation to the sweeper. */
export function dropGeneration(
  core: Core,
  projection: ProjectionRow,
  generation: number,
  physicalTable: string | null,
): void {
  core.store.projections.addGarbage(
    projection.type === "sql"
      ? { table_name: physicalTable }
      : { environment_id: projection.environment_id, name: projection.name, generation },
  );
}
