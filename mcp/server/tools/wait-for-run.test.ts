import { describe, expect, it } from "vitest";
import type { Run } from "../../contract/domain.ts";
import type { Engine } from "../../engines/engine.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { waitForRun } from "./wait-for-run.ts";

const run = (status: string, more: Partial<Run> = {}): Run => ({
  id: "run_1",
  function_id: "f",
  event_id: "evt_1",
  execution_mode: "push",
  status,
  attempt: 1,
  max_attempts: 3,
  created_at: "",
  updated_at: "",
  ...more,
});

const away = new ToolFailure({ code: "unavailable", message: "away", retryable: true });
const missing = new ToolFailure({ code: "not_found", message: "no such run", retryable: false });

/** Looks are given one after another, the last one again and again. */
function waiting(looks: (Run | ToolFailure)[], timeoutMs = 30_000) {
  const clock = manualClock();
  const abort = new AbortController();
  const progress: string[] = [];
  let seen = 0;
  const engine = {
    getRun: async (_id: string, { signal }: { signal?: AbortSignal | undefined }) => {
      if (signal?.aborted === true)
        throw new ToolFailure({ code: "canceled", message: "cancelled", retryable: false });
      const look = looks[Math.min(seen++, looks.length - 1)];
      if (look === undefined || look instanceof ToolFailure) throw look ?? missing;
      return look;
    },
  } as Partial<Engine> as Engine;
  const context = {
    engine,
    signal: abort.signal,
    progress: (done: number, total: number) => progress.push(`${done}/${total}`),
  };
  const outcome = waitForRun("run_1", timeoutMs, context, clock).catch((error: unknown) => error);
  return { clock, abort, progress, outcome, looksTaken: () => seen };
}

describe("waiting for a run", () => {
  it.each(["completed", "failed", "cancelled"])("ends when it is %s", async (status) => {
    const { clock, outcome } = waiting([run("running"), run("waiting"), run(status)]);
    await clock.pass(5_000);
    expect(await outcome).toMatchObject({ status, timed_out: false });
  });

  it("ends when it is paused with its retries used up", async () => {
    const { clock, outcome } = waiting([run("running"), run("paused")]);
    await clock.pass(5_000);
    expect(await outcome).toMatchObject({ status: "paused", timed_out: false });
  });

  it.each(["injection", "sleep", "wait_event"])("goes on when it is held for %s", async (pause_reason) => {
    const { clock, outcome } = waiting([run("paused", { pause_reason }), run("completed")]);
    await clock.pass(5_000);
    expect(await outcome).toMatchObject({ status: "completed" });
  });

  it("gives the run as it is when the time is over, not earlier and not much later", async () => {
    const { clock, outcome, looksTaken } = waiting([run("waiting")], 10_000);
    await clock.pass(9_999);
    const looks = looksTaken();
    await clock.pass(1);
    expect(await outcome).toMatchObject({ status: "waiting", timed_out: true });
    expect(looksTaken()).toBe(looks + 1);
    expect(looks).toBeLessThan(20);
  });

  it("outlives an engine that is away for a while", async () => {
    const { clock, outcome } = waiting([run("running"), away, away, away, run("completed")]);
    await clock.pass(10_000);
    expect(await outcome).toMatchObject({ status: "completed", timed_out: false });
  });

  it("fails with the engine's error when that stays away", async () => {
    const { clock, outcome } = waiting([run("running"), away], 5_000);
    await clock.pass(5_000);
    expect(await outcome).toBe(away);
  });

  it("fails at once for a run that does not exist", async () => {
    const { outcome, looksTaken } = waiting([missing]);
    expect(await outcome).toBe(missing);
    expect(looksTaken()).toBe(1);
  });

  it("ends at once when the caller gives up", async () => {
    const { clock, abort, outcome } = waiting([run("running")]);
    await clock.pass(1_000);
    abort.abort();
    expect(await outcome).toMatchObject({ code: "canceled" });
  });

  it("says every five seconds that it is still at it", async () => {
    const { clock, progress, outcome } = waiting([run("running")], 30_000);
    await clock.pass(30_000);
    await outcome;
    expect(progress.length).toBeGreaterThanOrEqual(4);
    expect(progress.at(0)).toMatch(/^[5-6]\/30$/);
  });
});
