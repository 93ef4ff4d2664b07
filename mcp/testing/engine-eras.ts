import type { StubRoute } from "./stub-engine.ts";

/** One run and its steps as each era writes them, so that a test can ask for the same answer from both. */
const CONNECT_RUN = {
  id: "run_1",
  functionId: "ship-order",
  eventId: "evt_1",
  eventName: "order.placed",
  executionMode: "EXECUTION_MODE_PUSH",
  status: "RUN_STATUS_FAILED",
  attempt: 3,
  maxAttempts: 3,
  input: { order: 7 },
  error: { message: "no such address", code: "STEP_FAILED", stack: "at ship (ship.ts:3)" },
  createdAt: "2026-11-30T09:00:00Z",
  updatedAt: "2026-11-30T09:00:05Z",
  endedAt: "2026-11-30T09:00:05Z",
};

const REST_RUN = {
  id: "run_1",
  function_id: "ship-order",
  event_id: "evt_1",
  event_name: "order.placed",
  execution_mode: "push",
  status: "failed",
  attempt: 3,
  max_attempts: 3,
  input: { order: 7 },
  error: { message: "no such address", code: "STEP_FAILED", stack: "at ship (ship.ts:3)" },
  created_at: "2026-11-30T09:00:00Z",
  updated_at: "2026-11-30T09:00:05Z",
  ended_at: "2026-11-30T09:00:05Z",
};

const CONNECT_STEP = {
  id: "step_1",
  runId: "run_1",
  stepId: "run_1:charge:0",
  stepType: "STEP_TYPE_INVOKE",
  status: "STEP_STATUS_COMPLETED",
  sequence: 1,
  attempt: 1,
  outputValue: "paid",
};

const REST_STEP = {
  id: "step_1",
  run_id: "run_1",
  step_id: "run_1:charge:0",
  step_type: "invoke",
  status: "completed",
  sequence: 1,
  attempt: 1,
  output: "paid",
};

const notFound = { status: 404, json: { code: "not_found", message: "run not found" } };

/** Connect for everything here; the REST twins are gone. */
export const newerEra = (): Record<string, StubRoute> => ({
  "GET /health": () => ({ json: { status: "healthy", version: "0.53.0" } }),
  "POST /ironflow.v1.IronflowService/Info": () => ({ json: { version: "0.53.0", functionCount: 2 } }),
  "POST /ironflow.v1.IronflowService/ListRuns": () => ({ json: { runs: [CONNECT_RUN], totalCount: 1 } }),
  "POST /ironflow.v1.IronflowService/GetRun": ({ body }) =>
    (body as { id: string }).id === "run_1" ? { json: CONNECT_RUN } : notFound,
  "POST /ironflow.v1.IronflowService/GetRunSteps": () => ({ json: { steps: [CONNECT_STEP] } }),
});

/** REST only, as an engine looks whose Connect surface lacks these methods. */
export const restOnly = (): Record<string, StubRoute> => ({
  "GET /health": () => ({ json: { status: "healthy", version: "0.29.0" } }),
  "GET /api/v1/runs": () => ({ json: { runs: [REST_RUN], count: 1, total_count: 1 } }),
  "GET /api/v1/runs/run_1": () => ({ json: REST_RUN }),
  "GET /api/v1/runs/run_1/steps": () => ({ json: { steps: [REST_STEP], count: 1 } }),
  "GET /api/v1/runs/*": () => ({ status: 404, json: { error: "run not found" } }),
});
