import type { Breaker, EventRecord, FunctionDetail, Run } from "../contract/domain.ts";
import type { Call } from "../upstream/http.ts";
import type { ToolInput, ToolName, ToolOutput } from "../contract/tools.ts";
import type { KvEntry } from "../contract/tools/storage.ts";
import type { ProjectionStatus } from "../contract/tools/projections.ts";
import type { StreamRecord } from "../contract/tools/streams.ts";

/** A call that takes and answers exactly what the tool of that name does. */
type Answers<Name extends ToolName> = (input: ToolInput<Name>, call: Call) => Promise<ToolOutput<Name>>;

/** An event to emit. `data` is any JSON value; numbers too large for JavaScript are `LosslessNumber`s. */
export type NewEvent = {
  readonly event: string;
  readonly data: unknown;
  /** An object. */
  readonly metadata?: unknown;
  readonly version?: number | undefined;
  readonly idempotencyKey?: string | undefined;
};

export type Invocation = {
  readonly functionId: string;
  readonly data: unknown;
  readonly idempotencyKey?: string | undefined;
};

/** An event to append to an entity's stream; as `NewEvent`. */
export type NewStreamEvent = NewEvent & {
  readonly entityId: string;
  readonly entityType: string;
  /** Undefined: not checked; 0: the stream must be new. */
  readonly expectedVersion?: number | undefined;
};

/** A proposed event, or the id of a stored one. `data` as in `NewEvent`, undefined when none was given. */
export type EventProbe =
  | { readonly eventId: string }
  | {
      readonly event: string;
      readonly data?: unknown;
      readonly version?: number | undefined;
      readonly idempotencyKey?: string | undefined;
    };

/** The bytes of a value as they are to be stored. */
export type KvWrite = {
  readonly bucket: string;
  readonly key: string;
  readonly body: string;
  readonly kind: "json" | "text";
  readonly expectedRevision?: number | undefined;
  readonly createOnly: boolean;
};

/** A tool that an application registered with the engine. */
export type ApplicationTool = {
  /** `agent.tool` */
  readonly name: string;
  readonly description: string;
  /** JSON text, not checked. */
  readonly inputSchemaJson: string;
  readonly timeoutMs: number | undefined;
};

/** What an application's tool answered; a failure carries the engine's own word (contract, section 2.13). */
export type ApplicationAnswer =
  | { readonly output: unknown }
  | { readonly error: { readonly code: string; readonly message: string } };

/**
 * An engine as the tools see it: typed, in one vocabulary, whatever the engine and its era. Every method rejects with a
 * `ToolFailure` and with nothing else.
 */
export interface Engine {
  /** The engine's address, without credentials. */
  readonly url: string;

  serverInfo(call: Call): Promise<ToolOutput<"ironflow_server_info">>;
  overview(call: Call): Promise<ToolOutput<"ironflow_overview">>;

  listRuns: Answers<"ironflow_list_runs">;
  getRun(runId: string, call: Call): Promise<Run>;
  getRunSteps(runId: string, call: Call): Promise<ToolOutput<"ironflow_get_run_steps">>;
  /** Only the embedded engine offers it; any other fails with `unimplemented`. */
  getRunAttempts(runId: string, call: Call): Promise<ToolOutput<"ironbridge_get_run_attempts">>;
  cancelRun(runId: string, reason: string | undefined, call: Call): Promise<Run>;
  resumeRun(runId: string, fromStep: string | undefined, call: Call): Promise<Run>;
  deleteRun(runId: string, call: Call): Promise<void>;

  listFunctions: Answers<"ironflow_list_functions">;
  getFunction(functionId: string, call: Call): Promise<FunctionDetail>;
  listFunctionHistory: Answers<"ironbridge_function_history">;
  invokeFunction(invocation: Invocation, call: Call): Promise<ToolOutput<"ironflow_invoke_function">>;

  listEvents: Answers<"ironflow_list_events">;
  getEvent(eventId: string, call: Call): Promise<EventRecord>;
  emitEvent(event: NewEvent, call: Call): Promise<ToolOutput<"ironflow_emit_event">>;
  /** Only the embedded engine is known to offer it; the route of any other is not public. */
  explainEvent(probe: EventProbe, call: Call): Promise<ToolOutput<"ironflow_explain_event_match">>;

  redactEvent(eventId: string, call: Call): Promise<void>;
  redactRun(runId: string, call: Call): Promise<void>;
  /** Takes the step's row id. */
  redactStep(stepId: string, call: Call): Promise<void>;

  listStreams: Answers<"ironflow_list_entity_streams">;
  getStream(entityId: string, call: Call): Promise<StreamRecord>;
  readStream: Answers<"ironflow_read_entity_stream">;
  appendEvent(event: NewStreamEvent, call: Call): Promise<ToolOutput<"ironflow_append_entity_event">>;
  deleteStream(
    target: { readonly entityId: string; readonly purge: boolean },
    call: Call,
  ): Promise<ToolOutput<"ironflow_delete_stream">>;

  listProjections: Answers<"ironflow_list_projections">;
  projectionStatus(name: string, call: Call): Promise<ProjectionStatus>;
  rebuildStatus(name: string, call: Call): Promise<ToolOutput<"ironflow_rebuild_projection_status">>;
  rebuildProjection: Answers<"ironflow_rebuild_projection">;

  querySql: Answers<"ironflow_sql_query">;

  listSecrets: Answers<"ironflow_list_secrets">;
  setSecret: Answers<"ironflow_secret_set">;
  listBuckets(call: Call): Promise<ToolOutput<"ironflow_kv_list_buckets">>;
  listKeys: Answers<"ironflow_kv_list_keys">;
  getValue(at: { readonly bucket: string; readonly key: string }, call: Call): Promise<KvEntry>;
  putValue(write: KvWrite, call: Call): Promise<ToolOutput<"ironflow_kv_put">>;

  listOutboxDeadLetters: Answers<"ironflow_outbox_dlq_list">;
  requeueOutbox: Answers<"ironflow_outbox_dlq_requeue">;
  discardOutbox(
    target: { readonly eventId: string; readonly env: string },
    call: Call,
  ): Promise<ToolOutput<"ironflow_outbox_dlq_discard">>;

  /** The engine's own description of its REST routes, as it sent it. */
  openapi(call: Call): Promise<string>;

  listApplicationTools(call: Call): Promise<readonly ApplicationTool[]>;
  invokeApplicationTool(
    invocation: { readonly tool: string; readonly input: object; readonly timeoutMs: number },
    call: Call,
  ): Promise<ApplicationAnswer>;

  listProjects(call: Call): Promise<ToolOutput<"ironflow_list_projects">>;
  listEnvironments: Answers<"ironflow_list_environments">;
  listWorkers(call: Call): Promise<ToolOutput<"ironflow_list_workers">>;

  listBreakers(call: Call): Promise<ToolOutput<"ironflow_circuit_breaker_list">>;
  listBreakerFailures(key: string, call: Call): Promise<ToolOutput<"ironbridge_breaker_failures">>;
  resetBreaker(key: string, call: Call): Promise<Breaker>;
  listDeadLetters: Answers<"ironflow_dead_letter_list">;
}
