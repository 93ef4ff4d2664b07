import * as z from "zod/v4";
import {
  ConnectFunction,
  InvokeResponse,
  ListFunctionHistoryResponse,
  ListFunctionsResponse,
} from "../../../engine/contract/functions.ts";
import type { Engine } from "../engine.ts";
import { readAnswer } from "../../upstream/answer.ts";
import { restRow } from "./normalise.ts";
import { structOrValue } from "./payload.ts";
import { restFunctionRow, toFunction, toFunctionDetail } from "./records.ts";
import { answerTo, query, type Wire } from "./wire.ts";

type FunctionCalls = Pick<Engine, "listFunctions" | "getFunction" | "listFunctionHistory" | "invokeFunction">;

const RestFunction = z.preprocess(restFunctionRow, ConnectFunction);
const RestFunctionsPage = z.looseObject({
  functions: z.array(RestFunction).default([]),
  total_count: z.number().int().optional(),
});
const RestInvoked = z.preprocess(restRow, InvokeResponse);

export function functionCalls(wire: Wire): FunctionCalls {
  return {
    listFunctions: async ({ limit, offset }, call) => {
      const { surface, text } = await wire.surfaces.send(
        {
          connect: "IronflowService/ListFunctions",
          message: { limit, ...(offset > 0 ? { offset } : {}) },
          effect: "read",
          rest: { method: "GET", path: `/api/v1/functions${query({ limit, offset })}` },
          // An engine of the older era knows no offset in this message, and would answer the first page again.
          restFirst: offset > 0,
        },
        call,
      );
      if (surface === "rest") {
        const page = readAnswer(RestFunctionsPage, text, answerTo("ListFunctions"));
        return functionsPage(page.functions, page.total_count);
      }
      const page = readAnswer(ListFunctionsResponse, text, answerTo("ListFunctions"));
      return functionsPage(page.functions, page.totalCount);
    },

    getFunction: async (functionId, call) => {
      const { surface, text } = await wire.surfaces.send(
        {
          connect: "IronflowService/GetFunction",
          message: { id: functionId },
          effect: "read",
          rest: { method: "GET", path: functionPath(functionId), namesRecord: true },
        },
        call,
      );
      return toFunctionDetail(
        readAnswer(surface === "rest" ? RestFunction : ConnectFunction, text, answerTo("GetFunction")),
      );
    },

    listFunctionHistory: async ({ function_id: functionId, limit }, call) => {
      // Engines have no REST twin of it.
      const { text } = await wire.surfaces.send(
        { connect: "IronflowService/ListFunctionHistory", message: { functionId, limit }, effect: "read" },
        call,
      );
      const answer = readAnswer(ListFunctionHistoryResponse, text, answerTo("ListFunctionHistory"));
      const versions = answer.versions.map(({ version, changeReason, createdAt }) => ({
        version,
        ...(changeReason === undefined || changeReason === "" ? {} : { change_reason: changeReason }),
        ...(createdAt === undefined ? {} : { created_at: createdAt }),
      }));
      return { versions, count: versions.length, total_count: answer.totalCount ?? versions.length };
    },

    invokeFunction: async ({ functionId, data, idempotencyKey }, call) => {
      const { surface, text } = await wire.surfaces.send(
        {
          connect: "IronflowService/InvokeFunction",
          message: { functionId, ...structOrValue(data), idempotencyKey },
          effect: idempotencyKey === undefined ? "once" : "repeatable",
          rest: {
            method: "POST",
            path: `${functionPath(functionId)}/invoke`,
            body: { data },
            namesRecord: true,
            ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
          },
        },
        call,
      );
      const answer = readAnswer(
        surface === "rest" ? RestInvoked : InvokeResponse,
        text,
        answerTo("InvokeFunction"),
      );
      return { run_id: answer.runId, event_id: answer.eventId };
    },
  };
}

const functionPath = (functionId: string): string => `/api/v1/functions/${encodeURIComponent(functionId)}`;

function functionsPage(wire: ConnectFunction[], total: number | undefined) {
  const functions = wire.map(toFunction);
  return { functions, count: functions.length, total_count: total ?? functions.length };
}
