import * as z from "zod/v4";
import { readAnswer } from "../../upstream/answer.ts";
import type { Engine } from "../engine.ts";
import { wireInteger } from "./int64.ts";
import { restRow } from "./normalise.ts";
import { answerTo, type Wire } from "./wire.ts";

/** A query may take as long as it was allowed to; this much more for the way there and back. */
const WAY_MS = 5_000;

/** A row is a message on Connect, which leaves an empty one's values out, and an array on REST (contract, section 2.12). */
const Row = z.union([
  z.array(z.unknown()),
  z.looseObject({ values: z.array(z.unknown()).default([]) }).transform(({ values }) => values),
]);
const Answer = z.preprocess(
  restRow,
  z.looseObject({
    columns: z.array(z.string()).nullish(),
    rows: z.array(Row).nullish(),
    totalRows: wireInteger.optional(),
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
      const { columns, rows, totalRows } = readAnswer(Answer, text, answerTo("ExecuteSQL"));
      return {
        columns: columns ?? [],
        rows: rows ?? [],
        count: rows?.length ?? 0,
        ...(totalRows === undefined ? {} : { total_rows: Number(totalRows) }),
      };
    },
  };
}
