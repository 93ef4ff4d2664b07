import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JobReport } from "../contract/workers.ts";
import type { PushRequest } from "../contract/push.ts";
import { createSecret, deleteSecret, updateSecret } from "../secrets/secrets.ts";
import {
  completed,
  createHarness,
  down,
  ENV,
  failedStep,
  step,
  yielded,
  type Harness,
} from "../testing/harness.ts";
import { workerFor } from "../testing/worker.ts";
import { claimJobs, jobIdOf, reportJob } from "./jobs.ts";
import type { PushOutcome } from "./push.ts";

const secret = 'TOP"SECRET\nVALUE2X';

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
  await engine.change((tx) => {
    createSecret(engine.core, tx, ENV, { name: "A", value: secret });
    createSecret(engine.core, tx, ENV, { name: "B", value: "another-value" });
  });
});

afterEach(() => engine.stop());

/** Everything that is stored about failures, as one text. */
function stored(): string {
  const { db } = engine.core.store;
  const rows = [
    "select error from runs",
    "select error from steps",
    "select error from attempt_errors",
    "select payload from audit",
    "select last_failure_reason from breakers",
    "select reason from breaker_failures",
    "select error from dead_letters",
  ].flatMap((sql) => db.prepare<Record<string, unknown>>(sql).all());
  return JSON.stringify(rows);
}

/** Which parts of secrets are in it, and that none was masked if so. */
function shown(): string[] {
  const text = stored();
  const parts = ["TOP", "SECRET", "VALUE2X", "another-value"].filter((part) => text.includes(part));
  return text.includes("***") ? parts : [...parts, "nothing is masked"];
}

const said = (request: PushRequest) => request.secrets?.["A"] ?? "";
const sleepUntil = (request: PushRequest, until: string) =>
  yielded({ type: "sleep", step_id: `${request.run_id}:s:0`, until });

describe("the engine's own sentences about an answer", () => {
  it.each<[string, (request: PushRequest) => PushOutcome]>([
    ["the id of a step", (r) => completed(1, [{ ...step(r.run_id, "a"), id: said(r) }])],
    ["the id of a yield", (r) => yielded({ type: "sleep", step_id: said(r), until: "" })],
    ["the time of a sleep", (r) => sleepUntil(r, said(r))],
    [
      "a wait's timeout",
      (r) =>
        yielded({
          type: "wait_for_event",
          step_id: `${r.run_id}:w:0`,
          event_filter: { event: "e", timeout: said(r) },
        }),
    ],
    [
      "the function that is not there, without waiting",
      (r) => yielded({ type: "invoke_function_async", step_id: `${r.run_id}:i:0`, function_id: said(r) }),
    ],
    ["a transport failure", (r) => down(`no: ${JSON.stringify({ body: JSON.stringify(said(r)) })}`)],
    [
      "an error's details",
      (r) => {
        const failing = failedStep(r.run_id, "a", "m");
        return completed(1, [{ ...failing, error: { message: "m", details: { [said(r)]: [said(r)] } } }]);
      },
    ],
  ])("repeat no secret: %s", async (_what, script) => {
    await engine.define("f", script, {
      triggers: [{ event: "go" }],
      secrets: ["A", "B"],
      retry: { maxAttempts: 1 },
    });
    await engine.emit("go");
    await engine.settle();
    expect(shown()).toEqual([]);
  });

  it("repeat no secret that was replaced while the function worked", async () => {
    await engine.define(
      "f",
      async (request) => {
        await engine.change((tx) => updateSecret(engine.core, tx, ENV, "A", { value: "a newer one" }));
        return completed(1, [{ ...step(request.run_id, "a"), id: said(request) }]);
      },
      { triggers: [{ event: "go" }], secrets: ["A"] },
    );
    await engine.emit("go");
    await engine.settle();
    expect(shown()).toEqual([]);
  });

  it("repeat no secret in the step that invokes a function that is not there", async () => {
    await engine.define(
      "f",
      (request) =>
        (request.steps ?? []).length > 0
          ? completed()
          : yielded({
              type: "invoke_function",
              step_id: `${request.run_id}:i:0`,
              function_id: said(request),
              invoke_timeout_ms: 1_000,
            }),
      { triggers: [{ event: "go" }], secrets: ["A"] },
    );
    await engine.emit("go");
    await engine.settle();
    expect(shown()).toEqual([]);
  });

  it("repeat no secret that a worker was given, also when another one of them is gone", async () => {
    await engine.define("p", () => completed(), {
      triggers: [{ event: "go" }],
      preferredMode: "pull",
      secrets: ["A", "B"],
    });
    await engine.emit("go");
    const worker = workerFor("p");
    const [job] = await engine.change((tx) => claimJobs(engine.core, tx, worker, 1));
    if (job === undefined) throw new Error("no job");
    await engine.change((tx) => deleteSecret(engine.core, tx, ENV, "B"));
    const { run } = job;
    const lease = {
      workerId: "w",
      jobId: jobIdOf(run),
      executionSeq: run.execution_seq,
      leaseToken: run.lease_token ?? undefined,
    };
    const report = JobReport.parse({
      status: "completed",
      output: 1,
      steps: [{ ...step(run.id, "a"), id: job.secrets["A"] }],
    });
    await engine.change((tx) => reportJob(engine.core, tx, ENV, lease, report));
    expect(engine.run(run.id).status).toBe("failed");
    expect(shown()).toEqual([]);
  });
});
