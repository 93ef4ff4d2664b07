import { hashToken, makeToken } from "../../loopback/token.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { DEFAULT_COLOR, DEFAULT_PROJECT, type EnvironmentRow } from "../store/environments.ts";
import type { Tx } from "../store/writer.ts";
import { auditOther } from "./audit.ts";
import { addKey, revokeKeys } from "./auth-events.ts";
import { findProject } from "./projects.ts";

/** Makes an environment. @throws ApiError not_found for the project, already_exists */
export function createEnvironment(
  core: Core,
  tx: Tx,
  wanted: { name: string; color?: string | undefined; projectId?: string | undefined },
): EnvironmentRow {
  const project = findProject(core, wanted.projectId ?? DEFAULT_PROJECT);
  const color = wanted.color ?? DEFAULT_COLOR;
  const row = core.store.environments.create(wanted.name, color, project.id, tx.nowMs);
  if (row === undefined) throw new ApiError("already_exists", `environment ${wanted.name} exists`);
  auditOther(core, tx, { environmentId: row.id, eventType: "environment.created", payload: { id: row.id } });
  return row;
}

/** A new key for an environment; its old ones are no longer good. The text is told once and kept nowhere. */
export function rotateKey(core: Core, tx: Tx, environment: EnvironmentRow, servedId: string): string {
  const place = { environmentId: environment.id, servedId };
  const key = makeToken("ifkey_");
  revokeKeys(core, tx, place);
  addKey(core, tx, place, { hash: hashToken(key), name: "api" });
  return key;
}

/**
 * Changes an environment's name and color; its id, and so its keys and everything in it, stay.
 * @throws ApiError already_exists, failed_precondition for the name of the environment the engine serves: its start names it
 */
export function updateEnvironment(
  core: Core,
  tx: Tx,
  environment: EnvironmentRow,
  wanted: { name?: string | undefined; color?: string | undefined },
  servedId: string,
): EnvironmentRow {
  const { name = environment.name, color = environment.color } = wanted;
  if (name !== environment.name && environment.id === servedId) {
    throw new ApiError("failed_precondition", "the environment the engine was started for keeps its name");
  }
  const row = { ...environment, name, color, updated_at: tx.nowMs };
  if (!core.store.environments.update(row)) {
    throw new ApiError("already_exists", `environment ${name} exists`);
  }
  auditOther(core, tx, {
    environmentId: row.id,
    eventType: "environment.updated",
    payload: { id: row.id, name, color },
  });
  return row;
}

/** @throws ApiError failed_precondition while something belongs to it, or for the environment the engine serves */
export function deleteEnvironment(core: Core, tx: Tx, environment: EnvironmentRow, servedId: string): void {
  const { id, name } = environment;
  if (id === servedId) {
    throw new ApiError("failed_precondition", "the environment the engine was started for cannot be deleted");
  }
  if (core.store.environments.isUsed(id)) {
    throw new ApiError(
      "failed_precondition",
      `environment ${name} holds functions, events, runs or something else that was made in it`,
    );
  }
  revokeKeys(core, tx, { environmentId: id, servedId });
  core.store.environments.delete(id);
  auditOther(core, tx, {
    environmentId: servedId,
    eventType: "environment.deleted",
    payload: { id, name },
  });
}
