import { describe, expect, test } from "vitest";
import { showAge, showDuration, showTime } from "./time-format.ts";

const at = Date.parse("2026-10-25T00:59:59.987Z");
const options = { zone: "local", withMs: true, nowMs: at, timeZone: "Europe/Berlin" } as const;

describe("showTime", () => {
  test("the hour that happens twice in autumn is told apart by its zone", () => {
    expect(showTime(at, options)).toEqual({ date: "25 Oct", clock: "02:59:59.987", zone: "UTC+2" });
    expect(showTime(at + 3_600_000, options)).toEqual({
      date: "25 Oct",
      clock: "02:59:59.987",
      zone: "UTC+1",
    });
  });

  test("UTC says UTC, and local time at UTC says UTC+0", () => {
    expect(showTime(at, { ...options, zone: "utc" }).zone).toBe("UTC");
    expect(showTime(at, { ...options, timeZone: "Africa/Abidjan" }).zone).toBe("UTC+0");
    expect(showTime(at, { ...options, timeZone: "America/St_Johns" }).zone).toBe("UTC−2:30");
  });

  test("another year is named, this one is not", () => {
    expect(showTime(Date.parse("2025-12-31T22:30:00Z"), { ...options, zone: "utc" }).date).toBe(
      "31 Dec 2025",
    );
  });
});

test.each([
  [-5, "0 ms"],
  [87.4, "87 ms"],
  [999.4, "999 ms"],
  [1_000, "1.00 s"],
  [3_219, "3.21 s"],
  [59_999, "59.9 s"],
  [64_000, "1 min 04 s"],
  [7_500_000, "2 h 05 min"],
  [273_600_000, "3 d 4 h"],
])("a span of %d ms reads %s", (ms, text) => {
  expect(showDuration(ms)).toBe(text);
});

test.each([
  [0, "just now"],
  [12_000, "12 s ago"],
  [-40_000, "in 40 s"],
  [3_600_000, "1 h ago"],
  [172_800_000, "2 d ago"],
])("%d ms after it happened it reads %s", (ms, text) => {
  expect(showAge(1_000_000_000, 1_000_000_000 + ms)).toBe(text);
});
