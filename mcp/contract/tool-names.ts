import type { Risk, ToolMode } from "./tool-row.ts";

/**
 * Every tool that the tool server is to have (seeds: "MCP tools"), with its mode and risk: 27 read, 16 write, the reload
 * barrier and the two terminal tools. A tool has a row of the same mode and risk in `tools.ts`.
 */
export const TOOL_NAMES = {
  ironflow_server_info: { mode: "read", risk: "read" },
  ironflow_get_docs: { mode: "read", risk: "read" },
  ironflow_overview: { mode: "read", risk: "read" },
  ironflow_list_runs: { mode: "read", risk: "read" },
  ironflow_get_run: { mode: "read", risk: "read" },
  ironflow_wait_for_run: { mode: "read", risk: "read" },
  ironflow_get_run_steps: { mode: "read", risk: "read" },
  ironflow_list_functions: { mode: "read", risk: "read" },
  ironflow_get_function: { mode: "read", risk: "read" },
  ironflow_list_projections: { mode: "read", risk: "read" },
  ironflow_projection_status: { mode: "read", risk: "read" },
  ironflow_list_entity_streams: { mode: "read", risk: "read" },
  ironflow_read_entity_stream: { mode: "read", risk: "read" },
  ironflow_list_events: { mode: "read", risk: "read" },
  ironflow_explain_event_match: { mode: "read", risk: "read" },
  ironflow_sql_query: { mode: "read", risk: "read" },
  ironflow_list_projects: { mode: "read", risk: "read" },
  ironflow_list_environments: { mode: "read", risk: "read" },
  ironflow_list_workers: { mode: "read", risk: "read" },
  ironflow_list_secrets: { mode: "read", risk: "read" },
  ironflow_kv_list_buckets: { mode: "read", risk: "read" },
  ironflow_kv_list_keys: { mode: "read", risk: "read" },
  ironflow_kv_get: { mode: "read", risk: "read" },
  ironflow_rebuild_projection_status: { mode: "read", risk: "read" },
  ironflow_dead_letter_list: { mode: "read", risk: "read" },
  ironflow_outbox_dlq_list: { mode: "read", risk: "read" },
  ironflow_circuit_breaker_list: { mode: "read", risk: "read" },

  ironflow_emit_event: { mode: "write", risk: "write" },
  ironflow_invoke_function: { mode: "write", risk: "write" },
  ironflow_append_entity_event: { mode: "write", risk: "write" },
  ironflow_delete_stream: { mode: "write", risk: "irreversible" },
  ironflow_redact_event: { mode: "write", risk: "irreversible" },
  ironflow_redact_run: { mode: "write", risk: "irreversible" },
  ironflow_redact_step: { mode: "write", risk: "irreversible" },
  ironflow_secret_set: { mode: "write", risk: "destructive" },
  ironflow_kv_put: { mode: "write", risk: "destructive" },
  ironflow_cancel_run: { mode: "write", risk: "destructive" },
  ironflow_delete_run: { mode: "write", risk: "irreversible" },
  ironflow_resume_run: { mode: "write", risk: "write" },
  ironflow_rebuild_projection: { mode: "write", risk: "destructive" },
  ironflow_outbox_dlq_requeue: { mode: "write", risk: "destructive" },
  ironflow_outbox_dlq_discard: { mode: "write", risk: "irreversible" },
  ironflow_circuit_breaker_reset: { mode: "write", risk: "destructive" },

  ironflow_await_reload: { mode: "evidence", risk: "read" },

  ironflow_terminal_run: { mode: "terminal", risk: "write" },
  ironflow_terminal_read: { mode: "terminal", risk: "read" },
} as const satisfies Record<string, { mode: ToolMode; risk: Risk }>;
