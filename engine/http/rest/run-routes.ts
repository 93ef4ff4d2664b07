import * as z from "zod/v4";
import { RestRun, RestRunList, RestStep, RestStepList } from "../../contract/rest-runs.ts";
import { ListAttemptsResponse } from "../../contract/runs.ts";
import { toTimestamp } from "../../clock.ts";
import { cancelRun, resumeRun } from "../../execute/commands.ts";
import { ApiError } from "../../errors.ts";
import { patchStep } from "../../execute/injection.ts";
import { JsonText, toJsonText } from "../../json/json-text.ts";
import { findRuns } from "../../store/run-list.ts";
import { IdText, plainText, queryInt, RunStatusList, TimeMs } from "../fields.ts";
import { readRun } from "../reads.ts";
import { restRun, restStep } from "../shapes.ts";
import { route, type RestRoute } from "./route.ts";

const ListQuery = z.strictObject({
  status: RunStatusList.optional(),
  function_id: plainText(256).optional(),
  event_id: plainText(256).optional(),
  search: plainText(256).optional(),
  since: TimeMs.optional(),
  until: TimeMs.optional(),
  limit: queryInt(1, 1000).optional(),
  offset: queryInt(0, 100_000_000).optional(),
  cursor: z.string().max(1024).optional(),
});

export const runRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/runs",
    summary: "List runs, newest first",
    answer: RestRunList,
    query: ListQuery,
    run: async ({ core, environment, gone }, { query }) => {
      const page = await findRuns(
        core.store.db,
        {
          environmentId: environment.id,
          functionId: query.function_id || undefined,
          statuses: query.status,
          eventId: query.event_id || undefined,
          search: query.search || undefined,
          sinceMs: query.since,
          untilMs: query.until,
        },
        { limit: query.limit ?? 50, offset: query.offset, cursor: query.cursor || undefined },
        gone,
      );
      return {
        runs: page.runs.map(restRun),
        count: page.runs.length,
        total_count: page.total,
        next_cursor: page.nextCursor === "" ? undefined : page.nextCursor,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/runs/{id}",
    summary: "Get a run",
    answer: RestRun,
    run: (call, { params }) => restRun(readRun(call, params.id ?? "")),
  }),
  route({
    method: "GET",
    path: "/api/v1/runs/{id}/steps",
    summary: "List the steps of a run",
    answer: RestStepList,
    run: (call, { params }) => {
      const steps = call.core.store.steps.byRun(readRun(call, params.id ?? "").id).map(restStep);
      return { steps, count: steps.length };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/runs/{id}/attempts",
    summary: "List the failed attempts of a run",
    answer: ListAttemptsResponse,
    run: (call, { params }) => {
      const attempts = call.core.store.attemptErrors.byRun(readRun(call, params.id ?? "").id).map((row) => ({
        attempt: row.attempt,
        kind: row.kind,
        error: new JsonText(row.error),
        failed_at: toTimestamp(row.failed_at),
      }));
      return { attempts, count: attempts.length };
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/runs/{id}/cancel",
    summary: "Cancel a run",
    answer: RestRun,
    body: z.strictObject({ reason: plainText(4096).nullish() }),
    run: async ({ core, environment }, { params, body }) =>
      restRun(
        await core.writer.write((tx) =>
          cancelRun(core, tx, environment.id, params.id ?? "", body.reason ?? ""),
        ),
      ),
  }),
  route({
    method: "POST",
    path: "/api/v1/runs/resume",
    summary: "Resume a paused or failed run",
    answer: RestRun,
    body: z.strictObject({ run_id: IdText, from_step: plainText(512).nullish() }),
    run: async ({ core, environment }, { body }) =>
      restRun(
        await core.writer.write((tx) =>
          resumeRun(core, tx, environment.id, body.run_id, body.from_step ?? undefined),
        ),
      ),
  }),
  route({
    method: "POST",
    path: "/api/v1/steps/patch",
    summary: "Replace a step's output",
    answer: RestStep,
    body: z.strictObject({
      step_id: IdText,
      output: z.unknown().optional(),
      reason: plainText(4096).nullish(),
    }),
    run: async ({ core, environment }, { body }) => {
      if (body.output === undefined) throw new ApiError("invalid_argument", "output: is required");
      const output = toJsonText(body.output);
      const step = await core.writer.write((tx) =>
        patchStep(core, tx, {
          environmentId: environment.id,
          step: body.step_id,
          output,
          reason: body.reason ?? "",
        }),
      );
      const maxAttempts = core.store.runs.get(step.run_id)?.max_attempts;
      return { ...restStep(step), environment_id: environment.id, max_attempts: maxAttempts };
    },
  }),
];
