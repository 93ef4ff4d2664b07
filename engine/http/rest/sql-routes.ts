import { SqlBody, SqlAnswer } from "../../contract/sql.ts";
import { JsonText } from "../../json/json-text.ts";
import { runSql } from "../sql.ts";
import { route, type RestRoute } from "./route.ts";

export const sqlRoutes: RestRoute[] = [
  route({
    method: "POST",
    path: "/api/v1/sql",
    summary: "Run one SELECT or WITH",
    answer: SqlAnswer,
    body: SqlBody,
    run: async (call, { body }) => {
      const answer = await runSql(call, body.query, { timeoutMs: body.timeout_ms, maxRows: body.max_rows });
      return {
        columns: answer.columns,
        rows: answer.rows,
        typed_rows: answer.typedRows.map((text) => new JsonText(text)),
        total_rows: answer.rows.length,
        truncated: answer.truncatedBy !== undefined,
        truncated_by: answer.truncatedBy,
        duration_ms: answer.durationMs,
      };
    },
  }),
];
