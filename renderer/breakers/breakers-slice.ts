import type { Breaker, BreakerFailure } from "../../mcp/contract/domain.ts";
import { keepReading } from "../store/deps.ts";
import { LOADING, type Reading } from "../store/reading.ts";
import type { Slice } from "../store/slice.ts";

export type BreakersSlice = {
  breakers: Reading<readonly Breaker[]>;
  /** Keeps the list fresh until called off. */
  openBreakers: () => () => void;
  /** The failures that were kept, by breaker; `null` where the engine does not tell. */
  breakerFailures: Readonly<Record<string, Reading<readonly BreakerFailure[] | null>>>;
  /** Keeps the history of one breaker fresh until called off. */
  openBreakerFailures: (key: string) => () => void;
};

/** Runs change all the time: the list follows them more slowly than a page that shows runs. */
const BREAKERS_GAP_MS = 1_000;

export const breakersSlice: Slice<BreakersSlice> = (set, _get, deps) => ({
  breakers: LOADING,
  openBreakers() {
    set({ breakers: LOADING });
    return keepReading<readonly Breaker[]>(deps, {
      // How many runs a breaker holds back changes with the runs.
      topics: ["breakers", "runs"],
      minGapMs: BREAKERS_GAP_MS,
      async read() {
        const answer = await deps.call("ironflow_circuit_breaker_list", {});
        return answer.ok ? { ok: true, data: worstFirst(answer.data.items) } : answer;
      },
      apply: (change) => set((state) => ({ breakers: change(state.breakers) })),
    });
  },
  breakerFailures: {},
  openBreakerFailures(key) {
    return keepReading<readonly BreakerFailure[] | null>(deps, {
      topics: ["breakers"],
      minGapMs: BREAKERS_GAP_MS,
      async read() {
        const answer = await deps.call("ironbridge_breaker_failures", { key });
        if (answer.ok) return { ok: true, data: answer.data.failures };
        return answer.error.code === "unimplemented" ? { ok: true, data: null } : answer;
      },
      apply: (change) =>
        set(({ breakerFailures: all }) => ({
          breakerFailures: { ...all, [key]: change(all[key] ?? LOADING) },
        })),
    });
  },
});

const ORDER: Record<string, number> = { open: 0, "half-open": 1, closed: 3 };

/** Open ones first, then those that try, then the rest by name. A state that is not known comes before closed. */
export function worstFirst(breakers: readonly Breaker[]): readonly Breaker[] {
  const place = ({ state }: Breaker) => ORDER[state] ?? 2;
  return [...breakers].sort((a, b) => place(a) - place(b) || a.key.localeCompare(b.key));
}

/** How many hold runs back now: open ones, and half-open ones, which let a single probe through. */
export const holdingBack = (breakers: readonly Breaker[]): number =>
  breakers.filter(({ state }) => state !== "closed").length;
