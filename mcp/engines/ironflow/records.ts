import type { RestEnvironment, RestProject, RestWorker } from "../../../engine/contract/directory.ts";
import type { RestEvent } from "../../../engine/contract/events.ts";
import type { ConnectFunction } from "../../../engine/contract/functions.ts";
import type { RestBreaker, RestBreakerFailure, RestDeadLetter } from "../../../engine/contract/operations.ts";
import type {
  Breaker,
  BreakerFailure,
  DeadLetter,
  Environment,
  EventRecord,
  EventSummary,
  FunctionDetail,
  FunctionRecord,
  Project,
  Worker,
} from "../../contract/domain.ts";
import { drop, restRow, text, time, word } from "./normalise.ts";

/** Wire to domain for everything but runs and steps. */

export function toEvent(wire: RestEvent): EventRecord {
  return drop({
    id: wire.id,
    name: wire.name,
    timestamp: wire.timestamp,
    source: wire.source,
    data: wire.data ?? null,
    metadata: wire.metadata ?? undefined,
    idempotency_key: text(wire.idempotency_key),
    entity_id: text(wire.entity_id),
    entity_type: text(wire.entity_type),
    run_id: text(wire.run_id),
  });
}

export const toEventSummary = ({ id, name, timestamp, source, run_id }: EventRecord): EventSummary =>
  drop({ id, name, timestamp, source, run_id });

export function toFunction(wire: ConnectFunction): FunctionRecord {
  return drop({
    id: wire.id,
    name: text(wire.name),
    description: text(wire.description),
    status: word("function", wire.status),
    version: wire.version,
    execution_mode: word("mode", wire.preferredMode ?? ""),
    endpoint_url: text(wire.endpointUrl),
    triggers: wire.triggers.map(({ event, expression, cron }) =>
      drop({ event: text(event), expression: text(expression), cron: text(cron) }),
    ),
    timeout_ms: wire.timeoutMs,
    max_attempts: wire.retry?.maxAttempts,
    created_at: time(wire.createdAt),
    updated_at: time(wire.updatedAt),
  });
}

export function toFunctionDetail(wire: ConnectFunction): FunctionDetail {
  const { retry, concurrency } = wire;
  return drop({
    ...toFunction(wire),
    retry:
      retry === undefined
        ? undefined
        : drop({
            max_attempts: retry.maxAttempts,
            initial_delay_ms: retry.initialDelayMs,
            backoff_factor: retry.backoffFactor,
            max_delay_ms: retry.maxDelayMs,
          }),
    concurrency:
      concurrency === undefined ? undefined : drop({ limit: concurrency.limit, key: text(concurrency.key) }),
    debounce: wire.debounce ?? undefined,
    cancel_on: wire.cancelOn?.map(({ event, match }) => drop({ event, match: text(match) })),
    actor_key: text(wire.actorKey),
    secrets: wire.secrets,
    recording: wire.recording,
    metadata: wire.metadata ?? undefined,
  });
}

/** A REST function in the Connect spelling: there the mode and the retries have other names. */
export function restFunctionRow(row: unknown): unknown {
  const renamed = restRow(row);
  if (typeof renamed !== "object" || renamed === null) return renamed;
  const { executionMode, retryAttempts, retryDelayMs, retryBackoff, ...rest } = renamed as Record<
    string,
    unknown
  >;
  return {
    ...rest,
    preferredMode: executionMode,
    retry: drop({
      maxAttempts: retryAttempts,
      initialDelayMs: retryDelayMs,
      backoffFactor: retryBackoff,
    }),
  };
}

export function toProject(wire: RestProject): Project {
  const { id, name, org_id, created_at, updated_at } = wire;
  return drop({ id, name, org_id: text(org_id), created_at: time(created_at), updated_at: time(updated_at) });
}

export function toEnvironment(wire: RestEnvironment): Environment {
  const { id, name, color, project_id, created_at, updated_at } = wire;
  return drop({
    id,
    name,
    color: text(color),
    project_id: text(project_id),
    created_at: time(created_at),
    updated_at: time(updated_at),
  });
}

export function toWorker(wire: RestWorker): Worker {
  return drop({
    id: wire.id,
    hostname: wire.hostname,
    function_ids: wire.function_ids ?? [],
    active_jobs: wire.active_jobs,
    max_concurrent: wire.max_concurrent,
    labels: wire.labels ?? undefined,
    transport: text(wire.transport),
    version: wire.version ?? undefined,
    registered_at: time(wire.registered_at),
    last_heartbeat: time(wire.last_heartbeat),
  });
}

export function toBreaker(wire: RestBreaker): Breaker {
  return drop({
    key: wire.key,
    function_id: wire.function_id,
    endpoint: wire.endpoint,
    state: wire.state,
    consecutive_fails: wire.consecutive_fails,
    last_failure: time(wire.last_failure),
    last_failure_reason: text(wire.last_failure_reason ?? undefined),
    opened_at: time(wire.opened_at),
    open_until: time(wire.open_until),
    waiting_runs: wire.waiting_runs ?? undefined,
  });
}

export const toBreakerFailure = ({ failed_at, reason, run_id, opened }: RestBreakerFailure): BreakerFailure =>
  drop({ failed_at, reason, run_id: text(run_id ?? undefined), opened });

export function toDeadLetter(wire: RestDeadLetter): DeadLetter {
  return drop({
    id: wire.id,
    environment_id: wire.environment_id,
    source: wire.source,
    event_id: text(wire.event_id ?? undefined),
    event_name: text(wire.event_name ?? undefined),
    function_id: text(wire.function_id ?? undefined),
    run_id: text(wire.run_id ?? undefined),
    error: wire.error,
    payload: wire.payload,
    created_at: wire.created_at,
  });
}
