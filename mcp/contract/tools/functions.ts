import * as z from "zod/v4";
import { FunctionDetail, FunctionRecord, FunctionVersion } from "../domain.ts";
import { READ_ROW, WRITE_ROW, toolRow } from "../tool-row.ts";
import {
  TWO_DATA,
  dataField,
  dataJsonField,
  functionIdField,
  hasOneData,
  idempotencyKeyField,
  limitField,
  offsetField,
} from "./fields.ts";

export const FunctionsPage = z.looseObject({
  functions: z.array(FunctionRecord),
  count: z.number().int().describe("Rows in this page."),
  total_count: z.number().int().describe("Registered functions in all."),
});
export type FunctionsPage = z.infer<typeof FunctionsPage>;

export const FunctionHistory = z.looseObject({
  versions: z.array(FunctionVersion),
  count: z.number().int().describe("Rows in this answer."),
  total_count: z.number().int().describe("Versions in all."),
});
export type FunctionHistory = z.infer<typeof FunctionHistory>;

export const Invoked = z.looseObject({
  run_id: z
    .string()
    .describe("The run that was started, or the earlier one when the idempotency key was known."),
  event_id: z.string(),
});
export type Invoked = z.infer<typeof Invoked>;

export const FUNCTION_ROWS = [
  toolRow({
    ...READ_ROW,
    name: "ironflow_list_functions",
    title: "List functions",
    description:
      "Lists the workflow functions that are registered with the engine: id, state, triggers, version, and where push functions are called. Use it to learn which function reacts to an event, or the exact id that other tools want. " +
      "A function that is missing here was never registered. Returns functions, count and total_count; page with offset. For retries, concurrency and the rest use ironflow_get_function.",
    input: z.strictObject({ limit: limitField(100, 500), offset: offsetField }),
    output: FunctionsPage,
  }),
  toolRow({
    ...READ_ROW,
    name: "ironflow_get_function",
    title: "Get a function",
    description:
      "Reads one function's whole configuration: triggers, retries, timeout, concurrency, debounce, cancel_on, endpoint, version and metadata; what stands at the engine's default may be left out. Use it to explain why a run was retried, cancelled or started. " +
      "It says nothing about runs: for those use ironflow_list_runs with function_id.",
    input: z.strictObject({ function_id: functionIdField }),
    output: FunctionDetail,
  }),
  toolRow({
    ...READ_ROW,
    name: "ironbridge_function_history",
    title: "Get a function's versions",
    description:
      "Reads when one function was registered with another configuration, newest version first, with the reason where one was given. For screens of the app; agents read the present configuration with ironflow_get_function.",
    input: z.strictObject({ function_id: functionIdField, limit: limitField(20, 500) }),
    output: FunctionHistory,
    for: "app",
  }),
  toolRow({
    ...WRITE_ROW,
    name: "ironflow_invoke_function",
    title: "Invoke a function",
    description:
      "Starts a run of one function directly, without an event that matches its triggers. It does not wait: follow with ironflow_wait_for_run. The function's code runs for real, with all its effects outside the engine. " +
      "The engine knows no schema of the input: read the input of an earlier run (ironflow_get_run) for its shape first. Do not use it to retry a failed run, that is ironflow_resume_run. Pass idempotency_key when you may send the call again. Returns run_id and event_id.",
    input: z
      .strictObject({
        function_id: functionIdField,
        data: dataField("The function's input"),
        data_json: dataJsonField,
        idempotency_key: idempotencyKeyField,
      })
      .refine(hasOneData, TWO_DATA),
    output: Invoked,
  }),
] as const;
