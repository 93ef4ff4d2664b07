import * as z from "zod/v4";
import { IdText, plainText, TimeMs } from "../fields.ts";
import { listPage } from "../reads.ts";
import { connectAudit } from "../shapes.ts";
import { method, type ConnectMethod } from "./method.ts";

/** Protojson sends "" for what is not set. */
const unset = (text: string | undefined) => (text === "" ? undefined : text);

/** `ironflow.v1.AuditService`, section 2.14. */
export const auditMethods: Record<string, ConnectMethod> = {
  GetAuditTrail: method(
    z.strictObject({
      runId: IdText,
      eventType: plainText(128).optional(),
      fromTimestamp: TimeMs.optional(),
      toTimestamp: TimeMs.optional(),
      limit: z.number().int().min(0).max(1000).optional(),
      cursor: z.string().max(1024).optional(),
    }),
    ({ core, environment }, input) => {
      const page = core.store.audit.list(
        {
          environmentId: environment.id,
          runId: input.runId,
          eventType: unset(input.eventType),
          fromMs: input.fromTimestamp,
          toMs: input.toTimestamp,
        },
        listPage(input, 100),
      );
      return {
        events: page.rows.map(connectAudit),
        totalCount: page.total,
        nextCursor: page.nextCursor,
      };
    },
  ),
};
