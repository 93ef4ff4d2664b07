import {
  GROUP_DEFAULTS,
  GROUP_LIMITS,
  type CreateGroupRequest,
  type GroupField,
  GROUP_FIELDS,
  type UpdateGroupRequest,
} from "../contract/consumer-groups.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import { compileExpression } from "../execute/expression.ts";
import { toJsonText } from "../json/json-text.ts";
import type { GroupRow } from "../store/consumer-groups.ts";
import type { Tx } from "../store/writer.ts";

/** @throws ApiError not_found */
export function findGroup(core: Core, environmentId: string, name: string): GroupRow {
  const row = core.store.groups.get(environmentId, name);
  if (row === undefined) throw new ApiError("not_found", `consumer group ${name} not found`);
  return row;
}

/**
 * A group gets what is published from now on. 0 and nothing mean the default, as in the SDKs.
 * @throws ApiError already_exists, resource_exhausted, invalid_argument
 */
export function createGroup(core: Core, tx: Tx, environmentId: string, wanted: CreateGroupRequest): GroupRow {
  const { groups } = core.store;
  if (groups.get(environmentId, wanted.name) !== undefined)
    throw new ApiError("already_exists", `consumer group ${wanted.name} exists`);
  if (groups.count(environmentId, undefined) >= GROUP_LIMITS.perEnvironment)
    throw new ApiError("resource_exhausted", `more than ${GROUP_LIMITS.perEnvironment} consumer groups`);
  const filter = wanted.filterExpr ?? "";
  if (filter !== "") compileExpression(filter, "filter_expr");
  const row: GroupRow = {
    id: core.ids.next("cg"),
    environment_id: environmentId,
    name: wanted.name,
    pattern: wanted.pattern,
    filter_expr: filter,
    ack_mode: wanted.ackMode ?? "auto",
    backpressure: wanted.backpressure ?? "buffer",
    max_inflight: wanted.maxInflight || GROUP_DEFAULTS.maxInflight,
    max_redeliveries: wanted.maxRedeliveries || GROUP_DEFAULTS.maxRedeliveries,
    redeliver_delay_ms: wanted.redeliverDelayMs || GROUP_DEFAULTS.redeliverDelayMs,
    metadata: wanted.metadata === undefined ? null : toJsonText(wanted.metadata).text,
    status: "active",
    dropped: 0,
    waiting: 0,
    created_at: tx.nowMs,
    updated_at: tx.nowMs,
  };
  groups.insert(row);
  changed(core, tx, row, "created");
  return row;
}

/**
 * Changes what the mask names, without one all that came along. A new pattern or filter counts for what is published from
 * now on; a paused group goes on collecting.
 * @throws ApiError not_found, invalid_argument
 */
export function updateGroup(core: Core, tx: Tx, environmentId: string, wanted: UpdateGroupRequest): GroupRow {
  const { group } = wanted;
  const known = findGroup(core, environmentId, group.name);
  if (group.status === "deleted")
    throw new ApiError("invalid_argument", "group.status: a group is deleted with DeleteConsumerGroup");
  const mask = wanted.updateMask ?? [];
  const takes = (field: GroupField) =>
    mask.length === 0 ? group[field] !== undefined : mask.includes(field);
  const missing = mask.find(
    (field) => field !== "filterExpr" && field !== "metadata" && group[field] === undefined,
  );
  if (missing !== undefined)
    throw new ApiError("invalid_argument", `group.${missing}: missing, and update_mask names it`);
  if (!GROUP_FIELDS.some(takes)) throw new ApiError("invalid_argument", "group: nothing to change");
  const filter = group.filterExpr ?? "";
  if (takes("filterExpr") && filter !== "") compileExpression(filter, "group.filter_expr");
  const row: GroupRow = {
    ...known,
    pattern: takes("pattern") ? (group.pattern ?? known.pattern) : known.pattern,
    filter_expr: takes("filterExpr") ? filter : known.filter_expr,
    ack_mode: takes("ackMode") ? (group.ackMode ?? known.ack_mode) : known.ack_mode,
    backpressure: takes("backpressure") ? (group.backpressure ?? known.backpressure) : known.backpressure,
    max_inflight: takes("maxInflight") ? group.maxInflight || GROUP_DEFAULTS.maxInflight : known.max_inflight,
    max_redeliveries: takes("maxRedeliveries")
      ? (group.maxRedeliveries ?? known.max_redeliveries)
      : known.max_redeliveries,
    redeliver_delay_ms: takes("redeliverDelayMs")
      ? group.redeliverDelayMs || GROUP_DEFAULTS.redeliverDelayMs
      : known.redeliver_delay_ms,
    metadata: takes("metadata")
      ? group.metadata === undefined
        ? null
        : toJsonText(group.metadata).text
      : known.metadata,
    status: takes("status") ? (group.status ?? known.status) : known.status,
    updated_at: tx.nowMs,
  };
  core.store.groups.update(row);
  changed(core, tx, row, "updated");
  tx.afterCommit(() => core.groups.wake(row.id));
  return row;
}

/** What the group has not acknowledged goes with it; its members are told. @throws ApiError not_found */
export function deleteGroup(core: Core, tx: Tx, environmentId: string, name: string): void {
  const row = findGroup(core, environmentId, name);
  core.store.groups.delete(row.id);
  changed(core, tx, row, "deleted");
  tx.afterCommit(() => core.groups.dropped(row.id));
}

function changed(core: Core, tx: Tx, row: GroupRow, action: "created" | "updated" | "deleted"): void {
  core.groups.forget(tx);
  auditOther(core, tx, {
    environmentId: row.environment_id,
    eventType: `consumer_group.${action}`,
    payload: { name: row.name, pattern: row.pattern },
  });
}
