import { RateLimit } from "../../electron/contract/tokens.ts";

/** A limit as a person types it; both empty is none. */
export type LimitText = { readonly calls: string; readonly seconds: string };
export const NO_LIMIT: LimitText = { calls: "", seconds: "60" };

export const toLimitText = (limit: RateLimit | undefined): LimitText =>
  limit === undefined ? NO_LIMIT : { calls: String(limit.calls), seconds: String(limit.per_s) };

export type ReadLimit =
  | { readonly ok: true; readonly limit: RateLimit | null }
  | { readonly ok: false; readonly problem: string };

/** No number of calls is no limit. */
export function readLimit({ calls, seconds }: LimitText): ReadLimit {
  if (calls.trim() === "") return { ok: true, limit: null };
  const number = (text: string) => (/^\d{1,7}$/.test(text.trim()) ? Number(text) : Number.NaN);
  const parsed = RateLimit.safeParse({ calls: number(calls), per_s: number(seconds) });
  if (parsed.success) return { ok: true, limit: parsed.data };
  return {
    ok: false,
    problem: "Whole numbers: 1 to 1,000,000 calls in 1 to 86,400 seconds, or no calls for no limit.",
  };
}

/** `60 calls a minute` */
export function limitText({ calls, per_s: seconds }: RateLimit): string {
  const span = seconds === 60 ? "a minute" : seconds === 3_600 ? "an hour" : `in ${seconds} s`;
  return `at most ${calls.toLocaleString("en")} ${calls === 1 ? "call" : "calls"} ${span}`;
}
