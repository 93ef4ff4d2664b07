import type { AuditPage } from "../../electron/contract/audit.ts";
import { appFailure, messageOf, type Answer } from "../store/answer.ts";
import { applyAnswer, LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { watch } from "../store/watch.ts";
import { auditQuery, type AuditFilters } from "./audit-filters.ts";

/** Nothing tells of new rows; the page looks by itself this often, in ms. */
const EVERY_MS = 3_000;
const MIN_GAP_MS = 500;

export type AuditSlice = {
  audit: Reading<AuditPage>;
  /** Reads the rows that pass, again and again until called off. */
  followAudit: (filters: AuditFilters) => () => void;
};

export const auditSlice: Slice<AuditSlice> = (set, _get, deps) => ({
  audit: LOADING,
  followAudit(filters) {
    set({ audit: LOADING });
    const watching = watch({
      clock: deps.clock,
      minGapMs: MIN_GAP_MS,
      everyMs: () => EVERY_MS,
      async read(stillWanted) {
        const answer = await readAudit();
        if (stillWanted()) set((state) => ({ audit: applyAnswer(state.audit, answer, deps.clock.now()) }));
        return answer.ok;
      },
    });
    async function readAudit(): Promise<Answer<AuditPage>> {
      try {
        const query = auditQuery(filters, deps.clock.now());
        return { ok: true, data: await deps.door.request("audit:query", query) };
      } catch (error) {
        return appFailure(messageOf(error), "app_unreachable");
      }
    }
    return watching.stop;
  },
});
