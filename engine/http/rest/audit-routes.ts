import * as z from "zod/v4";
import { RestAuditPage } from "../../contract/rest-runs.ts";
import type { AuditFilter } from "../../store/audit.ts";
import type { Call } from "../call.ts";
import { plainText, queryInt, TimeMs } from "../fields.ts";
import { readRun } from "../reads.ts";
import { restAudit } from "../shapes.ts";
import { route, type RestRoute } from "./route.ts";

const base = {
  event_type: plainText(128).optional(),
  from: TimeMs.optional(),
  to: TimeMs.optional(),
  limit: queryInt(1, 1000).optional(),
  cursor: z.string().max(1024).optional(),
};

function list({ core }: Call, filter: AuditFilter, limit = 50, cursor?: string) {
  const page = core.store.audit.list(filter, { limit, cursor: cursor || undefined });
  return {
    events: page.rows.map(restAudit),
    next_cursor: page.nextCursor === "" ? undefined : page.nextCursor,
    total_count: page.total,
  };
}

export const auditRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/audit",
    summary: "What happened in the environment, newest first",
    answer: RestAuditPage,
    query: z.strictObject({
      ...base,
      action: plainText(128).optional(),
      api_key_id: plainText(128).optional(),
      function_id: plainText(256).optional(),
      run_id: plainText(256).optional(),
    }),
    run: (call, { query }) => ({
      ...list(
        call,
        {
          environmentId: call.environment.id,
          eventType: query.event_type || query.action || undefined,
          apiKeyId: query.api_key_id || undefined,
          functionId: query.function_id || undefined,
          runId: query.run_id || undefined,
          fromMs: query.from,
          toMs: query.to,
        },
        query.limit,
        query.cursor,
      ),
      // 0: kept until the run is deleted or retention takes it.
      retention_days: call.core.retention.days ?? 0,
    }),
  }),
  route({
    method: "GET",
    path: "/api/v1/audit/settings",
    summary: "How long the audit is kept, days; 0 is for ever",
    answer: z.object({ retention_days: z.number() }),
    run: ({ core }) => ({ retention_days: core.retention.days ?? 0 }),
  }),
  route({
    method: "GET",
    path: "/api/v1/runs/{id}/audit",
    summary: "What happened to a run, newest first",
    answer: RestAuditPage,
    query: z.strictObject(base),
    run: (call, { params, query }) =>
      list(
        call,
        {
          environmentId: call.environment.id,
          runId: readRun(call, params.id ?? "").id,
          eventType: query.event_type || undefined,
          fromMs: query.from,
          toMs: query.to,
        },
        query.limit,
        query.cursor,
      ),
  }),
];
