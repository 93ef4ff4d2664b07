import type { Handlers } from "../contract/ipc.ts";
import type { Audit } from "../mcp-endpoint/audit.ts";

/** The audit, for the person's own eyes. */
export function auditHandlers(audit: Pick<Audit, "query" | "lost">): Pick<Handlers, "audit:query"> {
  return {
    async "audit:query"(filter) {
      const rows = await audit.query(filter);
      return { rows, count: rows.length, lost: audit.lost };
    },
  };
}
