import type { ToolHandlers } from "./handler.ts";

export const redactionHandlers: ToolHandlers<
  "ironflow_redact_event" | "ironflow_redact_run" | "ironflow_redact_step"
> = {
  ironflow_redact_event: async ({ event_id }, { engine, signal }) => {
    await engine.redactEvent(event_id, { signal });
    return { event_id, redacted: true };
  },
  ironflow_redact_run: async ({ run_id }, { engine, signal }) => {
    await engine.redactRun(run_id, { signal });
    return { run_id, redacted: true };
  },
  ironflow_redact_step: async ({ step_id }, { engine, signal }) => {
    await engine.redactStep(step_id, { signal });
    return { step_id, redacted: true };
  },
};
