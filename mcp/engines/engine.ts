import type { Breaker, EventRecord, FunctionDetail, Run } from "../contract/domain.ts";
import type { Call } from "../upstream/http.ts";
import type { ToolInput, ToolName, ToolOutput } from "../contract/tools.ts";

/** A call that takes and answers exactly what the tool of that name does. */
type Answers<Name extends ToolName> = (input: ToolInput<Name>, call: Call) => Promise<ToolOutput<Name>>;

/** An event to emit. `data` is any JSON value; numbers too large for JavaScript are `LosslessNumber`s. */
export type NewEvent = {
  readonly event: string;
  readonly data: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly version?: number | undefined;
  readonly idempotencyKey?: string | undefined;
};

export type Invocation = {
  readonly functionId: string;
  readonly data: unknown;
  readonly idempotencyKey?: string | undefined;
};

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
  invokeFunction(invocation: Invocation, call: Call): Promise<ToolOutput<"ironflow_invoke_function">>;

  listEvents: Answers<"ironflow_list_events">;
  getEvent(eventId: string, call: Call): Promise<EventRecord>;
  emitEvent(event: NewEvent, call: Call): Promise<ToolOutput<"ironflow_emit_event">>;

  listProjects(call: Call): Promise<ToolOutput<"ironflow_list_projects">>;
  listEnvironments: Answers<"ironflow_list_environments">;
  listWorkers(call: Call): Promise<ToolOutput<"ironflow_list_workers">>;

  listBreakers(call: Call): Promise<ToolOutput<"ironflow_circuit_breaker_list">>;
  resetBreaker(key: string, call: Call): Promise<Breaker>;
  listDeadLetters: Answers<"ironflow_dead_letter_list">;
}
