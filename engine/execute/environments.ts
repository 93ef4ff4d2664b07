import { hashToken, makeToken } from "../../loopback/token.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import type { Tx } from "../store/writer.ts";
import { auditOther } from "./audit.ts";

const defaultColor = "#6b7280";

/** Makes an environment. @throws ApiError not_found for the project, already_exists */
export function createEnvironment(
  core: Core,
  tx: Tx,
  wanted: { name: string; color?: string | undefined; projectId?: string | undefined },
): EnvironmentRow {
  const projectId = wanted.projectId ?? "proj_default";
  if (core.store.environments.project(projectId) === undefined) {
    throw new ApiError("not_found", `project ${projectId} not found`);
  }
  const row = core.store.environments.create(wanted.name, wanted.color ?? defaultColor, projectId, tx.nowMs);
  if (row === undefined) throw new ApiError("already_exists", `environment ${wanted.name} exists`);
  auditOther(core, tx, { environmentId: row.id, eventType: "environment.created", payload: { id: row.id } });
  return row;
}

/** A new key for an environment; its old ones are no longer good. The text is told once and kept nowhere. */
export function rotateKey(core: Core, tx: Tx, environment: EnvironmentRow): string {
  const key = makeToken("ifkey_");
  core.store.environments.deleteKeys(environment.id);
  core.store.environments.addKey(hashToken(key), environment.id, "api", tx.nowMs);
  auditOther(core, tx, {
    environmentId: environment.id,
    eventType: "environment.key_rotated",
    payload: { id: environment.id },
  });
  return key;
}

/** @throws ApiError failed_precondition while something belongs to it, or for the environment the engine serves */
export function deleteEnvironment(core: Core, environment: EnvironmentRow, servedId: string): void {
  if (environment.id === servedId) {
    throw new ApiError("failed_precondition", "the environment the engine was started for cannot be deleted");
  }
  if (core.store.environments.isUsed(environment.id)) {
    throw new ApiError(
      "failed_precondition",
      `environment ${environment.name} holds functions, events or runs`,
    );
  }
  core.store.environments.delete(environment.id);
}
