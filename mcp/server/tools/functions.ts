import { dataOf } from "./data.ts";
import type { ToolHandlers } from "./handler.ts";

export const functionHandlers: ToolHandlers<
  | "ironflow_list_functions"
  | "ironflow_get_function"
  | "ironbridge_function_history"
  | "ironflow_invoke_function"
> = {
  ironflow_list_functions: (page, { engine, signal }) => engine.listFunctions(page, { signal }),
  ironflow_get_function: ({ function_id }, { engine, signal }) => engine.getFunction(function_id, { signal }),
  ironbridge_function_history: (page, { engine, signal }) => engine.listFunctionHistory(page, { signal }),
  ironflow_invoke_function: async (
    { function_id, idempotency_key, ...data },
    { engine, evidence, signal },
  ) => {
    const invoked = await engine.invokeFunction(
      { functionId: function_id, data: dataOf(data), idempotencyKey: idempotency_key },
      { signal },
    );
    await evidence?.noteTest(`ironflow_invoke_function ${function_id}`, { signal });
    return invoked;
  },
};
