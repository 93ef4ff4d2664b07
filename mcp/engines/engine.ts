import type { Run } from "../contract/domain.ts";
import type { ToolInput, ToolOutput } from "../contract/tools.ts";

/** What every call takes. */
export type Call = {
  /** Aborts the call; it then rejects with an EngineError of code `canceled`. */
  readonly signal?: AbortSignal | undefined;
  /** The caller's own limit, in milliseconds; the client's limit holds when it is shorter. */
  readonly timeoutMs?: number | undefined;
};

/**
 * An engine as the tools see it: typed, in one vocabulary, whatever the engine and its era. Every method rejects with an
 * `EngineError` and with nothing else.
 */
export interface Engine {
  /** The engine's address, without credentials. */
  readonly url: string;
  serverInfo(call: Call): Promise<ToolOutput<"ironflow_server_info">>;
  listRuns(filter: ToolInput<"ironflow_list_runs">, call: Call): Promise<ToolOutput<"ironflow_list_runs">>;
  getRun(runId: string, call: Call): Promise<Run>;
  getRunSteps(runId: string, call: Call): Promise<ToolOutput<"ironflow_get_run_steps">>;
}
