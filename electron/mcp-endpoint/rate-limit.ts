import type { RateLimit } from "../contract/tokens.ts";
import type { Caller } from "./permissions.ts";

/** Counts calls of tokens that have a limit. In memory: a restart of the app starts every count over. */
export interface RateLimiter {
  /**
   * Counts one call. A window begins with the first call, is fixed, and begins anew with the first call after its end; a
   * call that is refused is not counted and extends nothing.
   * @returns whole seconds until the window ends when the call is over the limit, else undefined
   */
  take(caller: Caller): number | undefined;
  /** A token is gone or has another limit: its count starts over. */
  forget(name: string): void;
}

/** @param nowMs never goes back */
export function rateLimiter(nowMs: () => number): RateLimiter {
  const windows = new Map<string, { endsMs: number; calls: number }>();
  return {
    take({ kind, name, rateLimit }) {
      if (kind === "user" || rateLimit === undefined) return undefined;
      const now = nowMs();
      const open = windows.get(name);
      if (open === undefined || now >= open.endsMs) {
        windows.set(name, { endsMs: now + rateLimit.per_s * 1_000, calls: 1 });
        return undefined;
      }
      if (open.calls < rateLimit.calls) {
        open.calls += 1;
        return undefined;
      }
      return Math.ceil((open.endsMs - now) / 1_000);
    },
    forget: (name) => void windows.delete(name),
  };
}

/** `60 calls per minute`, `3 calls per 10 seconds` */
export function limitWords({ calls, per_s: seconds }: RateLimit): string {
  const span =
    seconds === 60 ? "minute" : seconds === 3_600 ? "hour" : seconds === 1 ? "second" : `${seconds} seconds`;
  return `${calls} ${calls === 1 ? "call" : "calls"} per ${span}`;
}
