import type { ToolHandlers } from "./handler.ts";

export const operationHandlers: ToolHandlers<
  | "ironflow_list_projects"
  | "ironflow_list_environments"
  | "ironflow_list_workers"
  | "ironflow_circuit_breaker_list"
  | "ironbridge_breaker_failures"
  | "ironflow_circuit_breaker_reset"
  | "ironflow_dead_letter_list"
> = {
  ironflow_list_projects: (_input, { engine, signal }) => engine.listProjects({ signal }),
  ironflow_list_environments: (filter, { engine, signal }) => engine.listEnvironments(filter, { signal }),
  ironflow_list_workers: (_input, { engine, signal }) => engine.listWorkers({ signal }),
  ironflow_circuit_breaker_list: (_input, { engine, signal }) => engine.listBreakers({ signal }),
  ironbridge_breaker_failures: ({ key }, { engine, signal }) => engine.listBreakerFailures(key, { signal }),
  ironflow_circuit_breaker_reset: ({ key }, { engine, signal }) => engine.resetBreaker(key, { signal }),
  ironflow_dead_letter_list: (page, { engine, signal }) => engine.listDeadLetters(page, { signal }),
};
