import * as z from "zod/v4";
import { ApiError } from "../errors.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import type { Call } from "./call.ts";

export const EnvironmentName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must be lower-case letters, digits, - and _")
  // Ids begin like this, and a header names an environment by either.
  .regex(/^(?!env_)/, "must not begin with env_");

export const Color = z.string().regex(/^#[0-9a-fA-F]{6}$/, "must look like #rrggbb");

/** The environments a caller may see: all for the keys of the one the engine serves, else its own. */
export function visibleEnvironments({ core, environment, admin }: Call): EnvironmentRow[] {
  return core.store.environments.environments().filter((row) => admin || row.id === environment.id);
}

/** @throws ApiError not_found, also for one the caller may not see */
export function readEnvironment(call: Call, idOrName: string): EnvironmentRow {
  const row = visibleEnvironments(call).find(({ id, name }) => id === idOrName || name === idOrName);
  if (row === undefined) throw new ApiError("not_found", `environment ${idOrName} not found`);
  return row;
}

/** A wish for another environment than the key's. @throws ApiError permission_denied */
export function requireOwnEnvironment({ environment }: Call, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== environment.id && wanted !== environment.name) {
    throw new ApiError("permission_denied", "env: the key speaks for another environment");
  }
}

/** @throws ApiError permission_denied */
export function requireAdmin({ admin }: Call): void {
  if (!admin) {
    throw new ApiError("permission_denied", "only a key of the environment the engine serves may do this");
  }
}
