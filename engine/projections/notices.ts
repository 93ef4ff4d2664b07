import type { Core } from "../core.ts";
import { auditOther } from "../execute/audit.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { Tx } from "../store/writer.ts";

export type ProjectionAction =
  | "registered"
  | "updated"
  | "deleted"
  | "paused"
  | "resumed"
  | "failed"
  | "rebuild_started"
  | "rebuild_completed"
  | "rebuild_cancelled"
  | "rebuild_failed";

/** What a projection's status is, a rebuild included. */
export const statusOf = (row: ProjectionRow): string => (row.rebuild_id === null ? row.status : "rebuilding");

/** `system.projection.{name}.{action}`, and an audit row. Whoever waits for the projection looks again. */
export function announceProjection(
  core: Core,
  tx: Tx,
  row: ProjectionRow,
  action: ProjectionAction,
  details: Record<string, unknown> = {},
): void {
  auditOther(core, tx, {
    environmentId: row.environment_id,
    eventType: `projection.${action}`,
    payload: { name: row.name, status: statusOf(row), ...details },
  });
  tell(core, tx, row, action);
}

/** `system.projection.{name}.advanced`: more events are in it. Not audited. */
export function announceAdvance(core: Core, tx: Tx, row: ProjectionRow): void {
  tell(core, tx, row, "advanced");
}

function tell(core: Core, tx: Tx, row: ProjectionRow, action: ProjectionAction | "advanced"): void {
  core.projections.moved(tx);
  tx.afterCommit(() => {
    if (core.hub.isQuiet()) return;
    core.hub.publish({
      environmentId: row.environment_id,
      topic: `system.projection.${row.name}.${action}`,
      data: {
        name: row.name,
        status: statusOf(row),
        last_event_seq: row.last_event_seq,
        ...(row.error_message === null ? {} : { error_message: row.error_message }),
      },
    });
  });
}
