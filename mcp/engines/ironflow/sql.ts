import * as z from "zod/v4";
import { readAnswer } from "../../upstream/answer.ts";
import type { Engine } from "../engine.ts";
import { wireInteger } from "./int64.ts";
import { drop, restRow } from "./normalise.ts";
import { answerTo, type Wire } from "./wire.ts";

/** A query may take as long as it was allowed to; this much more for the way there and back. */
const WAY_MS = 5_000;

/**
 * A row is a message on Connect, which leaves an empty one's values out, and an array on REST (contract, section 2.12). Its
 * values are texts, "" for NULL; an engine that also gives them with their types is taken at its better word.
 */
const values = z.array(z.unknown());
const Row = z.union([
  values,
  z
    .looseObject({ values: values.default([]), typedValues: values.optional() })
    .transform((row) => row.typedValues ?? row.values),
]);
const Answer = z.preprocess(
  restRow,
  z.looseObject({
    columns: z.array(z.string()).nullish(),
    rows: z.array(Row).nullish(),
    typedRows: z.array(values).nullish(),
    totalRows: wireInteger.optional(),
    truncated: z.boolean().optional(),
  }),
);

export function sqlCalls(wire: Wire): Pick<Engine, "querySql"> {
  return {
    querySql: async ({ query, max_rows, timeout_ms }, call) => {
      const { text } = await wire.surfaces.send(
        {
          connect: "QueryService/ExecuteSQL",
          message: { query, timeoutMs: timeout_ms, maxRows: max_rows },
          effect: "read",
          deadlineMs: timeout_ms + WAY_MS,
          rest: { method: "POST", path: "/api/v1/sql", body: { query, timeout_ms, max_rows } },
        },
        call,
      );
      const answer = readAnswer(Answer, text, answerTo("ExecuteSQL"));
      const rows = answer.typedRows ?? answer.rows ?? [];
      return drop({
        columns: answer.columns ?? [],
        rows,
        count: rows.length,
        total_rows: answer.totalRows === undefined ? undefined : Number(answer.totalRows),
        truncated: answer.truncated,
      });
    },
  };
}
