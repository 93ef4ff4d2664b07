import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Coalesced } from "./coalesce.ts";

describe("coalesced calls", () => {
  const times = { soonMs: 10, laterMs: 100 };
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are made once for all requests in between, and again for those after", () => {
    const act = vi.fn<() => void>();
    const coalesced = new Coalesced(act, times);
    coalesced.soon();
    coalesced.soon();
    vi.advanceTimersByTime(9);
    expect(act).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(act).toHaveBeenCalledTimes(1);
    coalesced.soon();
    vi.advanceTimersByTime(10);
    expect(act).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1_000);
    expect(act).toHaveBeenCalledTimes(2);
  });

  it("are made at once where nobody can wait, if one is asked for, and then not a second time", () => {
    const act = vi.fn<() => void>();
    const coalesced = new Coalesced(act, times);
    coalesced.now();
    expect(act).not.toHaveBeenCalled();
    coalesced.later();
    coalesced.now();
    expect(act).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(act).toHaveBeenCalledTimes(1);
    coalesced.soon();
    vi.advanceTimersByTime(10);
    expect(act).toHaveBeenCalledTimes(2);
  });

  it("come soon although one was wanted later, and then not a second time", () => {
    const act = vi.fn<() => void>();
    const coalesced = new Coalesced(act, times);
    coalesced.later();
    coalesced.soon();
    vi.advanceTimersByTime(10);
    expect(act).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200);
    expect(act).toHaveBeenCalledTimes(1);
  });

  it("are not put off by further requests", () => {
    const act = vi.fn<() => void>();
    const coalesced = new Coalesced(act, times);
    for (let elapsed = 0; elapsed < 100; elapsed += 5) {
      coalesced.later();
      vi.advanceTimersByTime(5);
    }
    expect(act).toHaveBeenCalledTimes(1);
  });

  it("are not made after the end", () => {
    const act = vi.fn<() => void>();
    const coalesced = new Coalesced(act, times);
    coalesced.soon();
    coalesced.stop();
    coalesced.soon();
    coalesced.later();
    vi.advanceTimersByTime(1_000);
    expect(act).not.toHaveBeenCalled();
  });
});
