import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  asleep,
  completed,
  createHarness,
  down,
  ENV,
  failed,
  isDone,
  yielded,
  type Harness,
} from "../testing/harness.ts";
import { workerFor } from "../testing/worker.ts";
import { ackJob, claimJobs, renewJobs, type Lease } from "./jobs.ts";
import { DEFAULT_LEASE_MS } from "./leases.ts";

const dayMs = 86_400_000;
/** A clock that was wrong by a day, either way, is put right. */
const jumps = [["back", -dayMs] as const, ["forward", dayMs] as const];

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

async function pass(ms: number): Promise<void> {
  engine.clock.advance(ms);
  await engine.settle();
}

async function start(event: string, data: unknown = {}): Promise<string> {
  const id = (await engine.emit(event, data)).runIds[0] ?? "";
  await engine.settle();
  return id;
}

const retry = { maxAttempts: 2, initialDelayMs: 5_000, backoffFactor: 1 };

describe.each(jumps)("a clock that jumps %s", (_direction, byMs) => {
  it("neither loses nor doubles a retry, nor holds it for longer than its delay", async () => {
    await engine.define("f", ({ attempt }) => (attempt === 1 ? failed("no", true) : completed()), {
      triggers: [{ event: "go" }],
      retry,
    });
    const id = await start("go");
    engine.clock.jump(byMs);
    await pass(4_999);
    expect(engine.run(id).status).toBe("waiting");
    await pass(1);
    expect(engine.run(id).status).toBe("completed");
    await pass(60_000);
    expect(engine.calls).toHaveLength(2);
  });

  it("takes no job from a worker that is alive, and the job of a dead one once its lease is over", async () => {
    await engine.define("p", () => completed(), { triggers: [{ event: "go" }], preferredMode: "pull" });
    const id = await start("go");
    const worker = workerFor("p");
    const [job] = await engine.change((tx) => claimJobs(engine.core, tx, worker, 1));
    const lease: Lease = {
      workerId: "w",
      jobId: `${id}-1`,
      executionSeq: 1,
      leaseToken: job?.run.lease_token ?? undefined,
    };
    await engine.change((tx) => ackJob(engine.core, tx, ENV, lease));
    engine.clock.jump(byMs);
    await pass(DEFAULT_LEASE_MS - 1);
    await engine.change((tx) => renewJobs(engine.core, tx, worker, [lease.jobId]));
    await pass(DEFAULT_LEASE_MS - 1);
    expect(engine.run(id)).toMatchObject({ status: "running", execution_seq: 1, takeovers: 0 });
    await pass(2);
    expect(engine.run(id)).toMatchObject({ status: "waiting_for_capacity", takeovers: 1 });
  });

  it("leaves an open breaker open for its minute, and no longer", async () => {
    await engine.define("f", () => down("no"), { triggers: [{ event: "go" }], retry: { maxAttempts: 1 } });
    for (let n = 0; n < 5; n += 1) await start("go");
    const state = () => engine.core.breakers.list(ENV)[0]?.state;
    expect(state()).toBe("open");
    engine.clock.jump(byMs);
    await start("other");
    await pass(59_999);
    expect(state()).toBe("open");
    await pass(1);
    expect(state()).toBe("half-open");
  });

  it("starts one run of a debounced burst", async () => {
    await engine.define("f", () => completed(), {
      triggers: [{ event: "typed" }],
      debounce: { periodMs: 10_000, maxWaitMs: 60_000 },
    });
    await engine.emit("typed");
    engine.clock.jump(byMs);
    await pass(9_999);
    expect(engine.calls).toHaveLength(0);
    await pass(1);
    expect(engine.calls).toHaveLength(1);
    await pass(2 * dayMs);
    expect(engine.calls).toHaveLength(1);
  });

  it("ends a wait for a child after its time, not before", async () => {
    await engine.define("child", () => new Promise(() => {}), {});
    await engine.define(
      "parent",
      (request) =>
        (request.steps ?? []).length > 0
          ? completed()
          : yielded({
              type: "invoke_function",
              step_id: `${request.run_id}:child:0`,
              function_id: "child",
              invoke_timeout_ms: 30_000,
            }),
      { triggers: [{ event: "go" }] },
    );
    const id = await start("go");
    engine.clock.jump(byMs);
    await pass(29_999);
    expect(engine.steps(id)).toMatchObject([{ status: "waiting" }]);
    await pass(1);
    expect(engine.steps(id)).toMatchObject([{ status: "timed_out" }]);
  });

  it("keeps the workers it knows", async () => {
    engine.core.workers.register(workerFor("p"));
    engine.clock.jump(byMs);
    expect(engine.core.workers.list(ENV)).toHaveLength(1);
    await pass(120_001);
    expect(engine.core.workers.list(ENV)).toHaveLength(0);
  });
});

it("holds a wait for an event no longer than its timeout when the clock goes back", async () => {
  await engine.define(
    "f",
    (request) =>
      yielded({
        type: "wait_for_event",
        step_id: `${request.run_id}:paid:0`,
        event_filter: { event: "paid", timeout: "1h" },
      }),
    { triggers: [{ event: "go" }] },
  );
  const id = await start("go");
  engine.clock.jump(-dayMs);
  await pass(3_599_999);
  expect(engine.run(id).status).toBe("waiting");
  expect(engine.steps(id)[0]?.wait_timeout_at).toBe(engine.clock.nowMs() + 1);
  await pass(1);
  expect(engine.run(id).status).toBe("failed");
});

it("lets a sleep end when the clock shows its moment", async () => {
  const untilMs = engine.clock.nowMs() + 10_000;
  await engine.define("f", (request) => (isDone(request, "nap") ? completed() : asleep(request, untilMs)), {
    triggers: [{ event: "go" }],
  });
  const id = await start("go");
  engine.clock.jump(-20_000);
  await pass(29_999);
  expect(engine.run(id).status).toBe("waiting");
  await pass(1);
  expect(engine.run(id).status).toBe("completed");
});

it("fires no time of a schedule twice when the clock goes back by hours, and does not wait for a clock that was years ahead", async () => {
  await engine.define("tick", () => completed(), { triggers: [{ cron: "0 * * * *" }] });
  await pass(3_600_000);
  expect(engine.calls).toHaveLength(1);
  engine.clock.jump(-3 * 3_600_000);
  await pass(4 * 3_600_000 - 1);
  expect(engine.calls).toHaveLength(1);
  await pass(1);
  expect(engine.calls).toHaveLength(2);
  engine.clock.jump(1_000 * dayMs);
  await pass(60_000);
  expect(engine.calls).toHaveLength(3);
  engine.clock.jump(-1_000 * dayMs);
  await pass(60_000);
  await pass(3_600_000);
  await pass(3_600_000);
  expect(engine.calls).toHaveLength(5);
});

it("puts the times right when the clock was set back while the engine was stopped", async () => {
  const folder = await mkdtemp(join(tmpdir(), "clock-jump-"));
  try {
    const file = join(folder, "engine.db");
    const { clock } = engine;
    await engine.stop();
    engine = await createHarness({ file, clock });
    await engine.define("f", () => failed("no", true), { triggers: [{ event: "go" }], retry });
    const id = await start("go");
    await engine.stop();
    clock.jump(-dayMs);
    engine = await createHarness({ file, clock });
    await engine.define("f", () => completed(), { triggers: [{ event: "go" }], retry });
    await pass(5_000);
    expect(engine.run(id).status).toBe("completed");
  } finally {
    await engine.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
