import * as z from "zod/v4";
import { toWireEnum } from "../../../engine/contract/enums.ts";
import {
  ConnectRun,
  ConnectStep,
  GetRunStepsResponse,
  ListAttemptsResponse,
  ListRunsResponse,
} from "../../../engine/contract/runs.ts";
import type { Run } from "../../contract/domain.ts";
import { splitList } from "../../contract/tools/fields.ts";
import type { ToolInput } from "../../contract/tools.ts";
import type { Call } from "../../upstream/http.ts";
import type { Engine } from "../engine.ts";
import { readAnswer } from "../../upstream/answer.ts";
import { errorInfo, restRow, restRunRow, toRun, toRunSummary, toStep } from "./normalise.ts";
import type { Operation } from "./surfaces.ts";
import { answerTo, query, restCall, type Wire } from "./wire.ts";

type RunCalls = Pick<
  Engine,
  "listRuns" | "getRun" | "getRunSteps" | "getRunAttempts" | "cancelRun" | "resumeRun" | "deleteRun"
>;

const RestRun = z.preprocess(restRunRow, ConnectRun);
const RestStep = z.preprocess(restRow, ConnectStep);
const RestRunsPage = z.looseObject({
  runs: z.array(RestRun).default([]),
  total_count: z.number().int().optional(),
});
const RestSteps = z.looseObject({ steps: z.array(RestStep).default([]) });
const Empty = z.looseObject({});

export function runCalls(wire: Wire): RunCalls {
  const runOf = async (operation: Operation, call: Call): Promise<Run> => {
    const { surface, text } = await wire.surfaces.send(operation, call);
    return toRun(readAnswer(surface === "rest" ? RestRun : ConnectRun, text, answerTo(operation.connect)));
  };
  return {
    listRuns: async (filter, call) => {
      const { surface, text } = await wire.surfaces.send(listOperation(filter), call);
      if (surface === "rest") {
        const page = readAnswer(RestRunsPage, text, answerTo("ListRuns"));
        return runsPage(page.runs, page.total_count);
      }
      const page = readAnswer(ListRunsResponse, text, answerTo("ListRuns"));
      return runsPage(page.runs, page.totalCount);
    },

    getRun: (runId, call) =>
      runOf(
        {
          connect: "IronflowService/GetRun",
          message: { id: runId },
          effect: "read",
          rest: { method: "GET", path: runPath(runId), namesRecord: true },
        },
        call,
      ),

    getRunSteps: async (runId, call) => {
      const { surface, text } = await wire.surfaces.send(
        {
          connect: "IronflowService/GetRunSteps",
          message: { runId },
          effect: "read",
          rest: { method: "GET", path: `${runPath(runId)}/steps`, namesRecord: true },
        },
        call,
      );
      const page = readAnswer(
        surface === "rest" ? RestSteps : GetRunStepsResponse,
        text,
        answerTo("GetRunSteps"),
      );
      const steps = page.steps.map(toStep).sort((a, b) => a.sequence - b.sequence);
      return { steps, count: steps.length };
    },

    getRunAttempts: async (runId, call) => {
      const request = {
        method: "GET",
        path: `${runPath(runId)}/attempts`,
        effect: "read",
        namesRecord: true,
      } as const;
      const page = await restCall(wire, request, ListAttemptsResponse, call);
      const attempts = page.attempts.map(({ attempt, kind, error, failed_at }) => ({
        attempt,
        kind,
        error: errorInfo(error) ?? { message: "" },
        failed_at,
      }));
      return { attempts, count: attempts.length };
    },

    cancelRun: (runId, reason, call) =>
      runOf(
        {
          connect: "IronflowService/CancelRun",
          message: { id: runId, reason },
          effect: "repeatable",
          rest: { method: "POST", path: `${runPath(runId)}/cancel`, body: { reason }, namesRecord: true },
        },
        call,
      ),

    resumeRun: (runId, fromStep, call) =>
      runOf(
        {
          connect: "IronflowService/ResumeRun",
          message: { runId, fromStep },
          effect: "once",
          rest: {
            method: "POST",
            path: "/api/v1/runs/resume",
            // Here the empty text stands for "no step" (contract, section 2.2).
            body: { run_id: runId, from_step: fromStep ?? "" },
            namesRecord: true,
          },
        },
        call,
      ),

    deleteRun: async (runId, call) => {
      const operation = {
        connect: "IronflowService/DeleteRun",
        message: { id: runId },
        effect: "repeatable",
      } as const;
      const { text } = await wire.surfaces.send(operation, call);
      readAnswer(Empty, text, answerTo(operation.connect));
    },
  };
}

const runPath = (runId: string): string => `/api/v1/runs/${encodeURIComponent(runId)}`;

function runsPage(runs: ConnectRun[], total: number | undefined) {
  return { runs: runs.map(toRunSummary), count: runs.length, total_count: total ?? runs.length };
}

function listOperation(filter: ToolInput<"ironflow_list_runs">): Operation {
  const statuses = filter.status === undefined ? [] : splitList(filter.status);
  const wireStatuses = statuses.map((status) => toWireEnum("run", status));
  return {
    connect: "IronflowService/ListRuns",
    effect: "read",
    message: {
      limit: filter.limit,
      functionId: filter.function_id,
      since: filter.since,
      until: filter.until,
      search: filter.search,
      eventId: filter.event_id,
      ...(filter.offset > 0 ? { offset: filter.offset } : {}),
      ...(wireStatuses.length === 1 ? { status: wireStatuses[0] } : {}),
      ...(wireStatuses.length > 1 ? { statuses: wireStatuses } : {}),
    },
    rest: {
      method: "GET",
      path: `/api/v1/runs${query({
        status: statuses.length === 0 ? undefined : statuses.join(","),
        function_id: filter.function_id,
        event_id: filter.event_id,
        search: filter.search,
        since: filter.since,
        until: filter.until,
        limit: filter.limit,
        offset: filter.offset,
      })}`,
    },
    // Engines of the older era skip these fields of the Connect message without a word (contract, section 0.2).
    restFirst:
      statuses.length > 1 ||
      filter.offset > 0 ||
      filter.search !== undefined ||
      filter.event_id !== undefined,
  };
}
