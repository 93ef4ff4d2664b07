import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { DEFAULT_PROJECT, type ProjectRow } from "../store/environments.ts";
import type { Tx } from "../store/writer.ts";
import { auditOther } from "./audit.ts";

/** More of them are refused. */
const maxProjects = 1_000;

/** @throws ApiError not_found */
export function findProject(core: Core, id: string): ProjectRow {
  const row = core.store.environments.project(id);
  if (row === undefined) throw new ApiError("not_found", `project ${id} not found`);
  return row;
}

/** @param environmentId whose audit tells of it. @throws ApiError already_exists, resource_exhausted */
export function createProject(core: Core, tx: Tx, environmentId: string, name: string): ProjectRow {
  const { environments } = core.store;
  const others = environments.projects();
  if (others.length >= maxProjects) {
    throw new ApiError("resource_exhausted", `more than ${maxProjects} projects`);
  }
  requireFree(others, name);
  const row: ProjectRow = {
    id: core.ids.next("proj"),
    name,
    org_id: "org_default",
    created_at: tx.nowMs,
    updated_at: tx.nowMs,
  };
  environments.addProject(row);
  tell(core, tx, environmentId, row, "created");
  return row;
}

/** @throws ApiError not_found, already_exists */
export function renameProject(
  core: Core,
  tx: Tx,
  environmentId: string,
  id: string,
  name: string,
): ProjectRow {
  const known = findProject(core, id);
  if (known.name === name) return known;
  requireFree(core.store.environments.projects(), name);
  const row = { ...known, name, updated_at: tx.nowMs };
  core.store.environments.updateProject(row);
  tell(core, tx, environmentId, row, "updated");
  return row;
}

/** @throws ApiError not_found, failed_precondition for the default one, and while environments belong to it */
export function deleteProject(core: Core, tx: Tx, environmentId: string, id: string): void {
  const row = findProject(core, id);
  if (id === DEFAULT_PROJECT) {
    throw new ApiError("failed_precondition", "the default project cannot be deleted");
  }
  const own = core.store.environments.environments().filter((environment) => environment.project_id === id);
  if (own.length > 0) {
    const names = own.slice(0, 3).map((environment) => environment.name);
    throw new ApiError("failed_precondition", `project ${row.name} has environments: ${names.join(", ")}`);
  }
  core.store.environments.deleteProject(id);
  tell(core, tx, environmentId, row, "deleted");
}

function requireFree(others: readonly ProjectRow[], name: string): void {
  if (others.some((other) => other.name === name)) {
    throw new ApiError("already_exists", `project ${name} exists`);
  }
}

function tell(core: Core, tx: Tx, environmentId: string, { id, name }: ProjectRow, action: string): void {
  auditOther(core, tx, { environmentId, eventType: `project.${action}`, payload: { id, name } });
}
