import type { OutboxDeadLetter } from "../../mcp/contract/tools/outbox.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { environmentOf } from "./environment.ts";

/** The most that one call gives, and so the step in which older rows are added. */
const PAGE_ROWS = 500;

export type DeadDeliveries = {
  readonly rows: readonly OutboxDeadLetter[];
  /** There may be older ones. */
  readonly more: boolean;
  /** In all, where the engine says. */
  readonly total: number | undefined;
  /** What requeueing and discarding take beside the event. */
  readonly env: string;
};

export type OutboxSlice = {
  outbox: Reading<DeadDeliveries>;
  /** Keeps the newest `pages` pages fresh until called off. */
  openOutbox: (pages: number) => () => void;
};

export const outboxSlice: Slice<OutboxSlice> = (set, _get, deps) => ({
  outbox: LOADING,
  openOutbox(pages) {
    // More of the same list: what is on screen stays while it is read.
    if (pages === 1) set({ outbox: LOADING });
    return keepReading<DeadDeliveries>(deps, {
      topics: ["dead_letters"],
      async read() {
        const env = await environmentOf(deps.call);
        if (!env.ok) return env;
        const rows: OutboxDeadLetter[] = [];
        let more = false;
        let total: number | undefined;
        for (let page = 0; page < pages; page += 1) {
          const answer = await deps.call("ironflow_outbox_dlq_list", {
            env: env.data,
            limit: PAGE_ROWS,
            offset: page * PAGE_ROWS,
          });
          if (!answer.ok) return answer;
          rows.push(...answer.data.items);
          total = answer.data.total_count;
          more = answer.data.items.length >= PAGE_ROWS;
          if (!more) break;
        }
        return { ok: true, data: { rows, more, total, env: env.data } };
      },
      apply: (change) => set((state) => ({ outbox: change(state.outbox) })),
    });
  },
});
