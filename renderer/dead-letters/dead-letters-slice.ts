import type { DeadLetter } from "../../mcp/contract/domain.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";
import { environmentOf } from "./environment.ts";

/** The most that one call gives, and so the step in which older rows are added. */
const PAGE_ROWS = 500;
/** The highest offset an engine takes is 10,000. */
const MOST_PAGES = 20;

export type DeadLetters = { readonly rows: readonly DeadLetter[]; readonly total: number };

export type DeadLettersSlice = {
  deadLetters: Reading<DeadLetters>;
  /** Keeps the newest `pages` pages of a source ("" = every source) fresh until called off. */
  openDeadLetters: (source: string, pages: number) => () => void;
};

export const deadLettersSlice: Slice<DeadLettersSlice> = (set, _get, deps) => ({
  deadLetters: LOADING,
  openDeadLetters(source, pages) {
    // More of the same list: what is on screen stays while it is read.
    if (pages === 1) set({ deadLetters: LOADING });
    return keepReading<DeadLetters>(deps, {
      topics: ["dead_letters"],
      async read() {
        const env = await environmentOf(deps.call);
        if (!env.ok) return env;
        const rows: DeadLetter[] = [];
        let total = 0;
        for (let page = 0; page < Math.min(pages, MOST_PAGES); page += 1) {
          const answer = await deps.call("ironflow_dead_letter_list", {
            env: env.data,
            limit: PAGE_ROWS,
            offset: page * PAGE_ROWS,
            ...(source !== "" && { source }),
          });
          if (!answer.ok) return answer;
          rows.push(...answer.data.items);
          total = answer.data.total;
          if (answer.data.items.length < PAGE_ROWS) break;
        }
        return { ok: true, data: { rows, total } };
      },
      apply: (change) => set((state) => ({ deadLetters: change(state.deadLetters) })),
    });
  },
});
