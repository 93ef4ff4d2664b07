import { SECRET_LIMITS } from "../contract/secrets.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import { announceSecret } from "../execute/notices.ts";
import type { SecretRow } from "../store/secrets.ts";
import type { Tx } from "../store/writer.ts";
import { encrypt, openSealed } from "./cipher.ts";

/** @throws ApiError not_found */
export function findSecret(core: Core, environmentId: string, name: string): SecretRow {
  const row = core.store.secrets.get(environmentId, name);
  if (row === undefined) throw new ApiError("not_found", "secret not found");
  return row;
}

/** @throws ApiError already_exists, resource_exhausted */
export function createSecret(
  core: Core,
  tx: Tx,
  environmentId: string,
  wanted: { name: string; value: string; description?: string | null | undefined },
): SecretRow {
  const { secrets } = core.store;
  if (secrets.get(environmentId, wanted.name) !== undefined) {
    throw new ApiError("already_exists", `secret ${wanted.name} exists`);
  }
  if (secrets.list(environmentId).length >= SECRET_LIMITS.perEnvironment) {
    throw new ApiError("resource_exhausted", `more than ${SECRET_LIMITS.perEnvironment} secrets`);
  }
  const place = { environment_id: environmentId, name: wanted.name, revision: 1 };
  const row: SecretRow = {
    ...place,
    ...encrypt(core.secretsKeys.current, place, wanted.value),
    description: wanted.description ?? "",
    created_at: tx.nowMs,
    updated_at: tx.nowMs,
  };
  secrets.put(row);
  tell(core, tx, row, "created");
  return row;
}

/** Gives a secret another value. @throws ApiError not_found */
export function updateSecret(
  core: Core,
  tx: Tx,
  environmentId: string,
  name: string,
  wanted: { value: string; description?: string | null | undefined },
): SecretRow {
  const known = findSecret(core, environmentId, name);
  return replace(core, tx, known, { name, description: wanted.description, value: wanted.value });
}

/**
 * Changes what is known about a secret; its value stays.
 * @throws ApiError not_found, already_exists, failed_precondition when its value cannot be read to go under the new name
 */
export function patchSecret(
  core: Core,
  tx: Tx,
  environmentId: string,
  name: string,
  wanted: { name?: string | null | undefined; description?: string | null | undefined },
): SecretRow {
  const known = findSecret(core, environmentId, name);
  const value = openSealed(core.secretsKeys, known);
  if (value === undefined) {
    throw new ApiError("failed_precondition", `secret ${name} cannot be read with this engine's key`);
  }
  return replace(core, tx, known, {
    name: wanted.name ?? name,
    description: wanted.description,
    value,
  });
}

function replace(
  core: Core,
  tx: Tx,
  known: SecretRow,
  wanted: { name: string; description: string | null | undefined; value: string },
): SecretRow {
  const { secrets } = core.store;
  const renamed = wanted.name !== known.name;
  if (renamed && secrets.get(known.environment_id, wanted.name) !== undefined) {
    throw new ApiError("already_exists", `secret ${wanted.name} exists`);
  }
  const place = { environment_id: known.environment_id, name: wanted.name, revision: known.revision + 1 };
  const row: SecretRow = {
    ...known,
    ...place,
    ...encrypt(core.secretsKeys.current, place, wanted.value),
    description: wanted.description ?? known.description,
    updated_at: tx.nowMs,
  };
  erase(core, tx, () => {
    secrets.delete(known.environment_id, known.name);
    secrets.put(row);
  });
  if (renamed) tell(core, tx, known, "deleted");
  tell(core, tx, row, renamed ? "created" : "updated");
  return row;
}

/** @throws ApiError not_found */
export function deleteSecret(core: Core, tx: Tx, environmentId: string, name: string): void {
  const row = findSecret(core, environmentId, name);
  erase(core, tx, () => core.store.secrets.delete(environmentId, name));
  tell(core, tx, row, "deleted");
}

/** An old value is not left in the file, encrypted or not. */
function erase(core: Core, tx: Tx, work: () => void): void {
  tx.afterCommit(() => core.logEmptier.empty());
  core.store.db.erasing(work);
}

function tell(core: Core, tx: Tx, row: SecretRow, action: "created" | "updated" | "deleted"): void {
  auditOther(core, tx, {
    environmentId: row.environment_id,
    eventType: `secret.${action}`,
    payload: { name: row.name, revision: row.revision },
  });
  announceSecret(core, tx, row, action);
}

/** The values of the names a function declared, or which one of them is not to be had and why. */
export type Resolved = { values: Record<string, string> } | { problem: string };

export function resolveSecrets(core: Core, environmentId: string, names: readonly string[]): Resolved {
  const values: Record<string, string> = {};
  for (const name of names) {
    const row = core.store.secrets.get(environmentId, name);
    if (row === undefined) return { problem: `secret ${name} is not set` };
    const value = openSealed(core.secretsKeys, row);
    if (value === undefined) return { problem: `secret ${name} cannot be read with this engine's key` };
    values[name] = value;
  }
  return { values };
}

/** Those of the names' values that are to be had. */
export function readableSecrets(core: Core, environmentId: string, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const row = core.store.secrets.get(environmentId, name);
    const value = row === undefined ? undefined : openSealed(core.secretsKeys, row);
    return value === undefined ? [] : [value];
  });
}
