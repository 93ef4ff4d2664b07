import * as z from "zod/v4";
import type { AuditFilter } from "../../store/audit.ts";
import type { Call } from "../call.ts";
import { IdText, plainText, TimeMs } from "../fields.ts";
import { listPage } from "../reads.ts";
import { connectAudit } from "../shapes.ts";
import { method, type ConnectMethod } from "./method.ts";

/** Protojson sends "" for what is not set. */
const unset = (text: string | undefined) => (text === "" ? undefined : text);

const trail = {
  eventType: plainText(128).optional(),
  fromTimestamp: TimeMs.optional(),
  toTimestamp: TimeMs.optional(),
  limit: z.number().int().min(0).max(1000).optional(),
  cursor: z.string().max(1024).optional(),
};

function list(
  { core, environment }: Call,
  input: z.output<z.ZodObject<typeof trail>>,
  more: Pick<AuditFilter, "runId" | "apiKeyId" | "auth">,
): Record<string, unknown> {
  const page = core.store.audit.list(
    {
      ...more,
      environmentId: environment.id,
      eventType: unset(input.eventType),
      fromMs: input.fromTimestamp,
      toMs: input.toTimestamp,
    },
    listPage(input, 100),
  );
  return { events: page.rows.map(connectAudit), totalCount: page.total, nextCursor: page.nextCursor };
}

/** `ironflow.v1.AuditService`, section 2.14. */
export const auditMethods: Record<string, ConnectMethod> = {
  GetAuditTrail: method(z.strictObject({ ...trail, runId: IdText }), (call, input) =>
    list(call, input, { runId: input.runId }),
  ),
  GetAuthAuditTrail: method(
    z.strictObject({ ...trail, apiKeyId: plainText(128).optional() }),
    (call, input) => list(call, input, { apiKeyId: unset(input.apiKeyId), auth: true }),
  ),
};
