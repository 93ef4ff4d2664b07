import { STARTING, type ToolError } from "../../mcp/contract/errors.ts";
import type { Answer } from "./answer.ts";

/**
 * What a page knows of something it reads from the engine. `stale` keeps the last good data beside the reason why it
 * could not be read again, so nothing that failed ever looks empty. `at` is in ms since the epoch.
 */
export type Reading<T> =
  | { readonly phase: "loading" }
  | { readonly phase: "ready"; readonly data: T; readonly at: number }
  | { readonly phase: "stale"; readonly data: T; readonly at: number; readonly problem: ToolError }
  | { readonly phase: "failed"; readonly problem: ToolError };

export const LOADING: Reading<never> = { phase: "loading" };

/** Applies one answer to what was known before. An engine that only comes up is no failure: the page goes on loading. */
export function applyAnswer<T>(before: Reading<T>, answer: Answer<T>, at: number): Reading<T> {
  if (answer.ok) return { phase: "ready", data: answer.data, at };
  if (before.phase === "ready" || before.phase === "stale")
    return { phase: "stale", data: before.data, at: before.at, problem: answer.error };
  return answer.error.reason === STARTING ? LOADING : { phase: "failed", problem: answer.error };
}

/** The data, if anything was ever read. */
export function dataOf<T>(reading: Reading<T>): T | undefined {
  return reading.phase === "ready" || reading.phase === "stale" ? reading.data : undefined;
}

/** The same reading with other data. */
export function mapReading<A, B>(reading: Reading<A>, map: (data: A) => B): Reading<B> {
  return reading.phase === "ready" || reading.phase === "stale"
    ? { ...reading, data: map(reading.data) }
    : reading;
}
