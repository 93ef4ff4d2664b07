import { ExecuteSqlRequest } from "../../contract/sql.ts";
import { JsonText } from "../../json/json-text.ts";
import { runSql } from "../sql.ts";
import { method, type ConnectMethod } from "./method.ts";

/** `ironflow.v1.QueryService`, section 2.12. */
export const queryMethods: Record<string, ConnectMethod> = {
  ExecuteSQL: method(ExecuteSqlRequest, async (call, input) => {
    const answer = await runSql(call, input.query, input);
    return {
      columns: answer.columns,
      rows: answer.rows.map((values, at) => ({
        values,
        typedValues: new JsonText(answer.typedRows[at] ?? "[]"),
      })),
      totalRows: answer.rows.length,
      truncated: answer.truncatedBy !== undefined,
      truncatedBy: answer.truncatedBy,
      durationMs: answer.durationMs,
    };
  }),
};
