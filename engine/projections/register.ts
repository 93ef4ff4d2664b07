import { encodeJson, JsonText } from "../json/json-text.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { ProjectionMode, ProjectionRow } from "../store/projections.ts";
import type { Tx } from "../store/writer.ts";
import { announceProjection } from "./notices.ts";
import { compilePartitionKey } from "./partition.ts";
import { dropGeneration } from "./rebuild-end.ts";
import { checkDefinition, createTable } from "./sql/tables.ts";
import { findProjection } from "./track.ts";

type Definition = Pick<
  ProjectionRow,
  | "mode"
  | "type"
  | "events"
  | "partition_key"
  | "version"
  | "description"
  | "table_name"
  | "table_sql"
  | "handlers"
>;

export interface Registration {
  environmentId: string;
  name: string;
  events: readonly string[];
  partitionKey: string;
  version: number;
  mode: ProjectionMode;
  changeReason: string;
}

export interface SqlRegistration {
  environmentId: string;
  name: string;
  tableSql: string;
  handlers: Readonly<Record<string, string>>;
  /** Names or patterns; those of the handlers when there are none. */
  events: readonly string[];
  description: string;
}

/**
 * Registers a projection that workers run, or changes its definition. A new one begins with the first event there is; one
 * that is changed goes on where it is, and a rebuild applies the change to what was before.
 * @throws ApiError invalid_argument, failed_precondition for a name that a SQL projection has, or while a rebuild runs
 */
export function registerProjection(
  core: Core,
  tx: Tx,
  registration: Registration,
): { projection: ProjectionRow; created: boolean } {
  compilePartitionKey(registration.partitionKey);
  const definition: Definition = {
    mode: registration.mode,
    type: "code",
    events: JSON.stringify([...new Set(registration.events)]),
    partition_key: registration.partitionKey,
    version: registration.version,
    description: "",
    table_name: null,
    table_sql: null,
    handlers: null,
  };
  const before = core.store.projections.get(registration.environmentId, registration.name);
  if (before !== undefined && before.type !== "code") {
    throw new ApiError("failed_precondition", `${registration.name} is a SQL projection; delete it first`);
  }
  if (before === undefined) {
    return { projection: create(core, tx, registration, definition, null), created: true };
  }
  if (sameDefinition(before, definition)) return { projection: before, created: false };
  requireNoRebuild(before);
  const row = { ...before, ...definition, updated_at: tx.nowMs };
  change(core, tx, before, row, registration.changeReason);
  return { projection: row, created: false };
}

/**
 * Registers a SQL projection and makes its table. Another table, or other events, begin with the first event again; other
 * handlers go on where the projection is, also where it had stopped at an error.
 * @throws ApiError invalid_argument, already_exists when another projection has the table, failed_precondition
 */
export function registerSqlProjection(core: Core, tx: Tx, registration: SqlRegistration): ProjectionRow {
  const { environmentId, name, handlers, tableSql } = registration;
  const tableName = checkDefinition({ tableSql, handlers });
  const events = registration.events.length === 0 ? Object.keys(handlers) : [...new Set(registration.events)];
  const definition: Definition = {
    mode: "managed",
    type: "sql",
    events: JSON.stringify(events),
    partition_key: "",
    version: 1,
    description: registration.description,
    table_name: tableName,
    table_sql: tableSql,
    handlers: JSON.stringify(handlers),
  };
  const other = core.store.projections.byTable(environmentId, tableName);
  if (other !== undefined && other.name !== name) {
    throw new ApiError(
      "already_exists",
      `table_sql: the projection ${other.name} has the table ${tableName}`,
    );
  }
  const before = core.store.projections.get(environmentId, name);
  if (before !== undefined && before.type !== "sql") {
    throw new ApiError("failed_precondition", `${name} is no SQL projection; delete it first`);
  }
  if (before === undefined) {
    return create(core, tx, registration, definition, createTable(core, definition));
  }
  if (sameDefinition(before, { ...definition, version: before.version })) return before;
  requireNoRebuild(before);
  const row: ProjectionRow = {
    ...before,
    ...definition,
    version: before.version + 1,
    status: before.status === "error" ? "active" : before.status,
    error_message: null,
    updated_at: tx.nowMs,
  };
  const anew = before.table_sql !== tableSql || before.events !== definition.events;
  change(core, tx, before, anew ? startAnew(core, row) : row, "");
  return core.store.projections.get(environmentId, name) ?? row;
}

/** An empty generation that begins with the first event. */
function startAnew(core: Core, row: ProjectionRow): ProjectionRow {
  dropGeneration(core, row, row.generation, row.physical_table);
  return {
    ...row,
    generation: core.store.projections.nextGeneration(row.environment_id, row.name),
    physical_table: createTable(core, row),
    cursor_seq: 0,
    last_event_seq: 0,
    last_event_id: null,
  };
}

function create(
  core: Core,
  tx: Tx,
  { environmentId, name }: { environmentId: string; name: string },
  definition: Definition,
  physicalTable: string | null,
): ProjectionRow {
  const row: ProjectionRow = {
    environment_id: environmentId,
    name,
    ...definition,
    status: "active",
    generation: core.store.projections.nextGeneration(environmentId, name),
    physical_table: physicalTable,
    cursor_seq: 0,
    last_event_seq: 0,
    last_event_id: null,
    error_message: null,
    rebuild_id: null,
    created_at: tx.nowMs,
    updated_at: tx.nowMs,
  };
  core.store.projections.put(row);
  announceProjection(core, tx, row, "registered");
  return row;
}

function change(core: Core, tx: Tx, before: ProjectionRow, row: ProjectionRow, reason: string): void {
  core.store.projections.put(row);
  remember(core, tx, before, "updated", reason);
  announceProjection(core, tx, row, "updated");
}

/** Keeps a definition as it was before a change. */
function remember(core: Core, tx: Tx, row: ProjectionRow, changeType: string, changeReason: string): void {
  core.store.projections.addHistory({
    environment_id: row.environment_id,
    name: row.name,
    definition: encodeJson({
      version: row.version,
      events: JSON.parse(row.events) as unknown,
      partitionKey: row.partition_key,
      mode: row.mode,
      type: row.type,
      sqlDefinition: row.table_sql ?? undefined,
      eventHandlers: row.handlers === null ? undefined : new JsonText(row.handlers),
      description: row.description === "" ? undefined : row.description,
    }),
    change_type: changeType,
    change_reason: changeReason,
    recorded_at: tx.nowMs,
  });
}

function sameDefinition(row: ProjectionRow, definition: Definition): boolean {
  return (Object.keys(definition) as (keyof Definition)[]).every((key) => row[key] === definition[key]);
}

function requireNoRebuild(projection: ProjectionRow): void {
  if (projection.rebuild_id === null) return;
  throw new ApiError("failed_precondition", `a rebuild of ${projection.name} is running; cancel it first`);
}

/** Forgets a projection, its read model and its rebuilds. @throws ApiError not_found */
export function unregisterProjection(core: Core, tx: Tx, environmentId: string, name: string): void {
  const row = findProjection(core, environmentId, name);
  const job = row.rebuild_id === null ? undefined : core.store.rebuilds.get(row.rebuild_id);
  if (job !== undefined) dropGeneration(core, row, job.generation, job.physical_table);
  dropGeneration(core, row, row.generation, row.physical_table);
  core.store.rebuilds.keepNewest(environmentId, name, 0);
  core.store.projections.deleteHistory(environmentId, name);
  core.store.projections.delete(environmentId, name);
  core.projections.generationChanged(tx, row);
  announceProjection(core, tx, row, "deleted");
}

/**
 * Stops a projection where it is: no events are given out or applied.
 * @throws ApiError not_found, failed_precondition while a rebuild runs
 */
export function pauseProjection(core: Core, tx: Tx, environmentId: string, name: string): ProjectionRow {
  const row = findProjection(core, environmentId, name);
  requireNoRebuild(row);
  if (row.status === "paused") return row;
  return setStatus(core, tx, { ...row, status: "paused" }, "paused");
}

/** Lets a projection go on that was paused, or had stopped at an error. @throws ApiError not_found */
export function resumeProjection(core: Core, tx: Tx, environmentId: string, name: string): ProjectionRow {
  const row = findProjection(core, environmentId, name);
  if (row.status === "active") return row;
  return setStatus(core, tx, { ...row, status: "active", error_message: null }, "resumed");
}

function setStatus(core: Core, tx: Tx, row: ProjectionRow, action: "paused" | "resumed"): ProjectionRow {
  const changed = { ...row, updated_at: tx.nowMs };
  core.store.projections.put(changed);
  announceProjection(core, tx, changed, action);
  return changed;
}
