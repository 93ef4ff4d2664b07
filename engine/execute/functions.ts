import type { FunctionStatus } from "../contract/enums.ts";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { readJson } from "../json/json-text.ts";
import type { Tx } from "../store/writer.ts";
import { auditOther } from "./audit.ts";
import type { FunctionConfig } from "./function-config.ts";
import { announceFunction } from "./notices.ts";
import type { RegisteredFunction } from "./registry.ts";
import { keepSchedules } from "./schedules.ts";

/** Registers a function, with its schedules. The same configuration again changes nothing. */
export function registerFunction(
  core: Core,
  tx: Tx,
  environmentId: string,
  id: string,
  config: FunctionConfig,
  changeReason: string,
): { function: RegisteredFunction; created: boolean } {
  const result = core.registry.register(tx, environmentId, id, config, changeReason);
  if (result.changed) {
    const action = result.created ? "created" : "updated";
    keepSchedules(core, tx, result.function);
    announceFunction(core, tx, result.function.row, action);
    audit(core, tx, result.function, action, { reason: changeReason });
    // A new endpoint has a breaker of its own: runs that were deferred may go on there.
    tx.afterCommit(() => core.dispatcher.wake(environmentId, id));
  }
  return result;
}

/** @throws ApiError not_found */
export function setFunctionStatus(
  core: Core,
  tx: Tx,
  environmentId: string,
  id: string,
  status: FunctionStatus,
): RegisteredFunction {
  const before = core.registry.get(environmentId, id);
  const fn = core.registry.setStatus(tx, environmentId, id, status);
  if (before?.row.status !== status) audit(core, tx, fn, "status_changed", { status });
  announceFunction(core, tx, fn.row, "updated");
  return fn;
}

/** @throws ApiError not_found, failed_precondition while it has runs that are not at their end */
export function deleteFunction(core: Core, tx: Tx, environmentId: string, id: string): void {
  const fn = core.registry.delete(tx, environmentId, id);
  keepSchedules(core, tx, { ...fn, config: { ...fn.config, triggers: [] } });
  announceFunction(core, tx, fn.row, "deleted");
  audit(core, tx, fn, "deleted", {});
}

/** Makes an old version's configuration the newest version. @throws ApiError not_found */
export function rollbackFunction(
  core: Core,
  tx: Tx,
  environmentId: string,
  id: string,
  version: number,
  changeReason: string,
): RegisteredFunction {
  if (core.registry.get(environmentId, id) === undefined) {
    throw new ApiError("not_found", `function ${id} not found`);
  }
  const old = core.store.functions.version(environmentId, id, version);
  if (old === undefined) throw new ApiError("not_found", `function ${id} has no version ${version}`);
  const config = readJson(old.config) as FunctionConfig;
  return registerFunction(core, tx, environmentId, id, config, changeReason).function;
}

function audit(
  core: Core,
  tx: Tx,
  fn: RegisteredFunction,
  action: string,
  more: Record<string, unknown>,
): void {
  auditOther(core, tx, {
    environmentId: fn.row.environment_id,
    eventType: `function.${action}`,
    functionId: fn.row.id,
    payload: { version: fn.row.version, ...more },
  });
}
