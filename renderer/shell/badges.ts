import { holdingBack } from "../breakers/breakers-slice.ts";
import { dataOf } from "../store/reading.ts";
import type { Page } from "../store/route.ts";
import type { AppState } from "../store/store.ts";
import { hasEnded } from "../terminals/terminals-slice.ts";

export type Badge = {
  readonly count: number;
  readonly tone: "bad" | "warn" | "idle";
  readonly about: string;
};

/** A number beside a page's name: what waits there. Nothing where there is nothing, or it is not known. */
export function badgeOf(state: AppState, page: Page): Badge | null {
  const badge = known(state, page);
  return badge === null || badge.count === 0 ? null : badge;
}

function known(state: AppState, page: Page): Badge | null {
  if (page === "breakers") {
    const breakers = dataOf(state.breakers);
    return breakers === undefined ? null : { count: holdingBack(breakers), tone: "bad", about: "not closed" };
  }
  if (page === "dead-letters") {
    const total = dataOf(state.deadLetterTotal);
    return total === undefined ? null : { count: total, tone: "warn", about: "stored" };
  }
  if (page === "terminals") {
    const sessions = dataOf(state.terminals);
    if (sessions === undefined) return null;
    const asks = sessions.filter(({ status }) => status === "waiting_input").length;
    if (asks > 0) return { count: asks, tone: "warn", about: "waiting for input" };
    return { count: sessions.filter((session) => !hasEnded(session)).length, tone: "idle", about: "running" };
  }
  return null;
}

/** A badge's number, short: past 999 only that it is more. */
export const badgeText = (count: number): string => (count > 999 ? "999+" : String(count));
