import type { ToolHandlers } from "./handler.ts";

export const sqlHandlers: ToolHandlers<"ironflow_sql_query"> = {
  ironflow_sql_query: (query, { engine, signal }) => engine.querySql(query, { signal }),
};
