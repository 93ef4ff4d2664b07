import { describe, expect, it } from "vitest";
import { USER, type Caller } from "./permissions.ts";
import { limitWords, rateLimiter } from "./rate-limit.ts";

const limited = (calls: number, per_s: number, name = "claude"): Caller => ({
  kind: "token",
  name,
  permissions: ["mcp.call"],
  rateLimit: { calls, per_s },
});

describe("a token's limit of calls", () => {
  it.each([
    // calls at (ms), and what each is told: seconds to wait, or undefined
    ["fixed from the first call", [0, 100, 200, 900, 1_100], [undefined, undefined, undefined, 1, undefined]],
    [
      "not extended by refusals",
      [0, 0, 0, 500, 600, 999, 1_000],
      [undefined, undefined, undefined, 1, 1, 1, undefined],
    ],
    [
      "open again at the very end of the window",
      [0, 0, 0, 999, 1_000],
      [undefined, undefined, undefined, 1, undefined],
    ],
    [
      "opened by the first call, not by the clock",
      [950, 1_000, 1_900, 1_949, 1_950],
      [undefined, undefined, undefined, 1, undefined],
    ],
    [
      "full again in the next window",
      [0, 2_000, 2_000, 2_000, 2_000],
      [undefined, undefined, undefined, undefined, 1],
    ],
  ])("is %s", (_, at, expected) => {
    let now = 0;
    const limiter = rateLimiter(() => now);
    expect(
      at.map((ms) => {
        now = ms;
        return limiter.take(limited(3, 1));
      }),
    ).toEqual(expected);
  });

  it("tells whole seconds, rounded up, so that who waits them is let in", () => {
    let now = 0;
    const limiter = rateLimiter(() => now);
    limiter.take(limited(1, 60));
    const told = [1, 999, 1_000, 30_001, 59_999].map((ms) => {
      now = ms;
      return limiter.take(limited(1, 60));
    });
    expect(told).toEqual([60, 60, 59, 30, 1]);
  });

  it("is counted for each token alone, and never for the person or a token without one", () => {
    const limiter = rateLimiter(() => 0);
    const unlimited: Caller = { kind: "token", name: "free", permissions: ["*"] };
    expect(limiter.take(limited(1, 60))).toBeUndefined();
    expect(limiter.take(limited(1, 60))).toBe(60);
    expect(limiter.take(limited(1, 60, "other"))).toBeUndefined();
    for (let at = 0; at < 1_000; at += 1) {
      expect(limiter.take(unlimited)).toBeUndefined();
      expect(limiter.take({ ...USER, rateLimit: { calls: 1, per_s: 60 } })).toBeUndefined();
    }
  });

  it("starts over for a token that was made again", () => {
    const limiter = rateLimiter(() => 0);
    limiter.take(limited(1, 60));
    limiter.forget("claude");
    expect(limiter.take(limited(1, 60))).toBeUndefined();
  });
});

it.each([
  [{ calls: 60, per_s: 60 }, "60 calls per minute"],
  [{ calls: 1, per_s: 3_600 }, "1 call per hour"],
  [{ calls: 3, per_s: 1 }, "3 calls per second"],
  [{ calls: 3, per_s: 10 }, "3 calls per 10 seconds"],
])("%j reads %s", (limit, words) => expect(limitWords(limit)).toBe(words));
