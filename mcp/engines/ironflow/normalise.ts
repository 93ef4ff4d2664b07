import { fromWireEnum, type EnumKind } from "../../../engine/contract/enums.ts";
import { RunError, type ConnectRun, type ConnectStep } from "../../../engine/contract/runs.ts";
import type { Run, RunErrorInfo, RunSummary, Step } from "../../contract/domain.ts";
import { stepName } from "./step-name.ts";

/**
 * Wire to domain: `…Value` twins resolved, enum names to lower-case words, zero values and zero times to what they mean.
 * REST rows of the older era come in through `restRow` and then take the same way.
 */

/** Longest error message in a list, in UTF-16 code units. */
const LIST_MESSAGE_CHARS = 1_000;

/** Go writes a time that was never set like this. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

export function toRunSummary(wire: ConnectRun): RunSummary {
  const error = errorInfo(twin(wire.errorValue, wire.error));
  return drop({
    id: wire.id,
    function_id: wire.functionId,
    event_id: wire.eventId,
    event_name: text(wire.eventName),
    execution_mode: word("mode", wire.executionMode),
    status: word("run", wire.status),
    attempt: wire.attempt,
    max_attempts: wire.maxAttempts,
    pause_reason: text(wire.pauseReason),
    parent_run_id: text(wire.parentRunId),
    function_version: wire.functionVersion,
    cancellation_cause: text(wire.cancellationCause),
    error: error === undefined ? undefined : shortError(error),
    created_at: wire.createdAt,
    updated_at: wire.updatedAt,
    started_at: time(wire.startedAt),
    ended_at: time(wire.endedAt),
  });
}

/** In a list. Whoever wants all of it reads the run itself; one long message must not crowd out the rest of a page. */
const shortError = ({ stack: _stack, message, ...error }: RunErrorInfo): RunErrorInfo => ({
  message: message.length > LIST_MESSAGE_CHARS ? `${message.slice(0, LIST_MESSAGE_CHARS)}…` : message,
  ...error,
});

export function toRun(wire: ConnectRun): Run {
  return drop({
    ...toRunSummary(wire),
    error: errorInfo(twin(wire.errorValue, wire.error)),
    worker_id: text(wire.workerId),
    actor_id: text(wire.actorId),
    parent_step_id: text(wire.parentStepId),
    resume_from_step: text(wire.resumeFromStep),
    timeout_at: time(wire.timeoutAt),
    environment_id: text(wire.environmentId),
    input: twin(wire.inputValue, wire.input),
    output: twin(wire.outputValue, wire.output),
  });
}

export function toStep(wire: ConnectStep): Step {
  return drop({
    id: wire.id,
    run_id: wire.runId,
    step_id: wire.stepId,
    name: stepName(wire.stepId, wire.runId),
    step_type: word("stepType", wire.stepType),
    sequence: wire.sequence,
    status: word("step", wire.status),
    attempt: wire.attempt,
    duration_ms: wire.durationMsFull === undefined ? wire.durationMs : Number(wire.durationMsFull),
    started_at: time(wire.startedAt),
    ended_at: time(wire.endedAt),
    created_at: time(wire.createdAt),
    sleep_until: time(wire.sleepUntil),
    wait_event_name: text(wire.waitEventName),
    wait_timeout: text(wire.waitTimeout),
    input: twin(wire.inputValue, wire.input),
    output: twin(wire.outputValue, wire.output),
    error: errorInfo(twin(wire.errorValue, wire.error)),
    patched_at: time(wire.patchedAt),
    patched_by: text(wire.patchedBy),
    compensation_for: text(wire.compensationFor),
  });
}

/** A REST row's own field names in the Connect spelling; values, payloads above all, stay as they are. */
export function restRow(row: unknown): unknown {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return row;
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [camelCase(key), value]));
}

/** As `restRow`; a run's error is an object on Connect, but may be plain text in a REST row. */
export function restRunRow(row: unknown): unknown {
  const renamed = restRow(row);
  if (typeof renamed !== "object" || renamed === null || !("error" in renamed)) return renamed;
  if (typeof renamed.error !== "string") return renamed;
  const { error, ...rest } = renamed;
  return { ...rest, errorValue: error };
}

const camelCase = (key: string) =>
  key.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/**
 * Errors come as an object, as an object in JSON text, or as plain text, whatever the era and who reported it. Anything
 * else is kept as text.
 */
export function errorInfo(wire: unknown): RunErrorInfo | undefined {
  if (wire === undefined || wire === null || wire === "") return undefined;
  if (typeof wire === "string") return errorFromText(wire);
  const parsed = RunError.safeParse(wire);
  if (!parsed.success) return { message: toMessage(wire) };
  const { message, code, retryable, stack } = parsed.data;
  return drop({ message, code: text(code), retryable, stack: text(stack) });
}

function errorFromText(wire: string): RunErrorInfo {
  if (!wire.startsWith("{")) return { message: wire };
  try {
    const parsed = RunError.safeParse(JSON.parse(wire));
    if (parsed.success && parsed.data.message !== "") return errorInfo(parsed.data) ?? { message: wire };
  } catch {
    // Text that only begins like JSON is the message itself.
  }
  return { message: wire };
}

const toMessage = (value: unknown): string => JSON.stringify(value) ?? String(value);

/** The twin holds what a Struct cannot, null included, so it wins whenever it is there. */
export const twin = (value: unknown, plain: unknown): unknown => (value === undefined ? plain : value);

/** Absent text is written as "" by protojson. */
export const text = (value: string | undefined): string | undefined => (value === "" ? undefined : value);

export const time = (value: string | null | undefined): string | undefined =>
  value === null || value === undefined || value === "" || value === ZERO_TIME ? undefined : value;

/** protojson leaves out the zero of an enum, which is its UNSPECIFIED. */
export const word = (kind: EnumKind, value: string): string =>
  value === "" ? "unspecified" : fromWireEnum(kind, value);

/** Removes fields that are undefined: absent and undefined are the same to a reader of JSON, not to a test of keys. */
export function drop<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
