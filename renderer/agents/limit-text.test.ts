import { expect, it } from "vitest";
import { limitText, readLimit, toLimitText } from "./limit-text.ts";

it.each([
  ["", "60", null],
  [" ", "", null],
  ["60", "60", { calls: 60, per_s: 60 }],
  ["1", "1", { calls: 1, per_s: 1 }],
  ["1000000", "86400", { calls: 1_000_000, per_s: 86_400 }],
])("%j calls in %j seconds is %j, and reads the same again", (calls, seconds, limit) => {
  expect(readLimit({ calls, seconds })).toEqual({ ok: true, limit });
  expect(readLimit(toLimitText(limit ?? undefined))).toEqual({ ok: true, limit });
});

it.each([
  ["0", "60"],
  ["1000001", "60"],
  ["1", "0"],
  ["1", "86401"],
  ["1.5", "60"],
  ["-1", "60"],
  ["1e3", "60"],
  ["many", "60"],
  ["1", ""],
])("%j calls in %j seconds is no limit that anybody could mean", (calls, seconds) => {
  expect(readLimit({ calls, seconds }).ok).toBe(false);
});

it.each([
  [{ calls: 60, per_s: 60 }, "at most 60 calls a minute"],
  [{ calls: 1, per_s: 3_600 }, "at most 1 call an hour"],
  [{ calls: 1_000, per_s: 5 }, "at most 1,000 calls in 5 s"],
])("%j reads %s", (limit, text) => expect(limitText(limit)).toBe(text));
