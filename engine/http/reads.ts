import { ApiError } from "../errors.ts";
import type { RegisteredFunction } from "../execute/registry.ts";
import type { RunRow } from "../store/runs.ts";
import type { StreamRow } from "../store/streams.ts";
import type { Call } from "./call.ts";

/** @throws ApiError not_found, also for a run of another environment */
export function readRun({ core, environment }: Call, id: string): RunRow {
  const run = core.store.runs.get(id);
  if (run?.environment_id !== environment.id) throw new ApiError("not_found", `run ${id} not found`);
  return run;
}

/** @throws ApiError not_found */
export function readFunction({ core, environment }: Call, id: string): RegisteredFunction {
  const fn = core.registry.get(environment.id, id);
  if (fn === undefined) throw new ApiError("not_found", `function ${id} not found`);
  return fn;
}

/** @throws ApiError not_found, with the very words that SDKs look for (section 1.4) */
export function readStream({ core, environment }: Call, entityId: string): StreamRow {
  const stream = core.store.streams.get(environment.id, entityId);
  if (stream === undefined) throw new ApiError("not_found", "stream not found");
  return stream;
}

/** A limit of 0 is protojson's way of saying nothing. */
export function listPage(
  input: { limit?: number | undefined; cursor?: string | undefined; offset?: number | undefined },
  defaultLimit: number,
): { limit: number; cursor: string | undefined; offset: number | undefined } {
  return {
    limit: input.limit === undefined || input.limit === 0 ? defaultLimit : input.limit,
    cursor: input.cursor === undefined || input.cursor === "" ? undefined : input.cursor,
    offset: input.offset,
  };
}
