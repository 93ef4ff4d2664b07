import * as z from "zod/v4";
import { CancelRunRequest, ListRunsRequest, ResumeRunRequest } from "../../contract/runs.ts";
import { cancelRun, deleteRun, resumeRun } from "../../execute/commands.ts";
import { findRuns } from "../../store/run-list.ts";
import { IdText, plainText, RunStatusText, TimeMs, unsetEnum } from "../fields.ts";
import { listPage, readRun } from "../reads.ts";
import { connectRun, connectStep } from "../shapes.ts";
import { method, type ConnectMethod } from "./method.ts";

const List = ListRunsRequest.extend({
  limit: z.number().int().min(0).max(1000).optional(),
  search: plainText(256).optional(),
  functionId: plainText(256).optional(),
  eventId: plainText(256).optional(),
}).transform((input, context) => {
  const texts = [...(input.statuses ?? []), input.status ?? ""].filter((text) => !unsetEnum(text));
  const statuses = z.array(RunStatusText).safeParse(texts);
  const since = TimeMs.optional().safeParse(input.since);
  const until = TimeMs.optional().safeParse(input.until);
  for (const [field, result] of [
    ["status", statuses],
    ["since", since],
    ["until", until],
  ] as const) {
    if (result.success) continue;
    context.addIssue({
      code: "custom",
      path: [field],
      message: result.error.issues[0]?.message ?? "invalid",
    });
  }
  return { ...input, statuses: statuses.data ?? [], sinceMs: since.data, untilMs: until.data };
});

const byId = z.strictObject({ id: IdText });
const byRunId = z.strictObject({ runId: IdText });

export const runMethods: Record<string, ConnectMethod> = {
  ListRuns: method(List, async ({ core, environment, gone }, input) => {
    const page = await findRuns(
      core.store.db,
      {
        environmentId: environment.id,
        functionId: input.functionId || undefined,
        statuses: input.statuses,
        eventId: input.eventId || undefined,
        search: input.search || undefined,
        sinceMs: input.sinceMs,
        untilMs: input.untilMs,
      },
      listPage(input, 50),
      gone,
    );
    return { runs: page.runs.map(connectRun), nextCursor: page.nextCursor, totalCount: page.total };
  }),
  GetRun: method(byId, (call, { id }) => connectRun(readRun(call, id))),
  GetRunSteps: method(byRunId, (call, { runId }) => ({
    steps: call.core.store.steps.byRun(readRun(call, runId).id).map(connectStep),
  })),
  CancelRun: method(
    CancelRunRequest.extend({ id: IdText, reason: plainText(4096).optional() }),
    async (call, input) => {
      const { core, environment } = call;
      return connectRun(
        await core.writer.write((tx) => cancelRun(core, tx, environment.id, input.id, input.reason ?? "")),
      );
    },
  ),
  ResumeRun: method(
    ResumeRunRequest.extend({ runId: IdText, fromStep: plainText(512).optional() }),
    async (call, input) => {
      const { core, environment } = call;
      return connectRun(
        await core.writer.write((tx) => resumeRun(core, tx, environment.id, input.runId, input.fromStep)),
      );
    },
  ),
  DeleteRun: method(byId, async ({ core, environment }, { id }) => {
    await core.writer.write((tx) => deleteRun(core, tx, environment.id, id));
    return {};
  }),
};
