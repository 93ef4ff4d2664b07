import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { toJsonText } from "../json/json-text.ts";
import {
  completed,
  createHarness,
  down,
  ENV,
  failed,
  failedStep,
  isDone,
  step,
  yielded,
  type Harness,
} from "../testing/harness.ts";
import { cancelRun, resumeRun } from "./commands.ts";
import { patchStep } from "./injection.ts";
import { redactEvent, redactRun, redactStep } from "./redact.ts";

let engine: Harness;

beforeEach(async () => {
  engine = await createHarness();
});

afterEach(() => engine.stop());

const secret = "Ada Lovelace";

/** Every text and blob of the whole store in which the secret is still found. */
function leaks(): string[] {
  const { db } = engine.core.store;
  const tables = db
    .prepare<{ name: string }>("select name from sqlite_schema where type = 'table'")
    .all()
    .map(({ name }) => name);
  return tables.flatMap((table) =>
    db
      .prepare<Record<string, unknown>>(`select * from ${table}`)
      .all()
      .flatMap((row) =>
        Object.entries(row)
          .filter(([, value]) =>
            value instanceof Uint8Array
              ? Buffer.from(value).toString("utf8").includes(secret)
              : String(value).includes(secret),
          )
          .map(([column]) => `${table}.${column}`),
      ),
  );
}

const redactRunNow = (id: string) => engine.change((tx) => redactRun(engine.core, tx, ENV, id));
const redactEventNow = (id: string) => engine.change((tx) => redactEvent(engine.core, tx, ENV, id));

it("leaves nothing of a failed run's payloads: input, steps, errors, attempts, audit, and the first output of a patch", async () => {
  await engine.define(
    "f",
    (request) =>
      failed(`no such person: ${secret}`, request.attempt === 1, [
        step(request.run_id, "find", { name: secret }),
        failedStep(request.run_id, "write", `cannot write ${secret}`),
      ]),
    { triggers: [{ event: "go" }], retry: { initialDelayMs: 1 } },
  );
  const { eventId, runIds } = await engine.emit("go", { name: secret });
  const id = runIds[0] ?? "";
  await engine.settle();
  engine.clock.advance(1);
  await engine.until("failure", () => engine.run(id).status === "failed");
  await engine.change((tx) =>
    patchStep(engine.core, tx, {
      environmentId: ENV,
      step: `${id}:find:0`,
      output: toJsonText({ name: `not ${secret}` }),
      reason: "",
    }),
  );
  const input = engine.run(id).input;
  await redactRunNow(id);
  await redactRunNow(id);
  expect(new Set(leaks())).toEqual(new Set(["events.data"]));
  await redactEventNow(eventId);
  expect(leaks()).toEqual([]);
  expect(JSON.parse(engine.run(id).input)).toEqual({
    $redacted: true,
    sha256: createHash("sha256").update(input).digest("hex"),
    redactedAt: new Date(engine.clock.nowMs()).toISOString(),
  });
  expect(engine.core.store.audit.byRun(id).at(-1)?.event_type).toBe("run.redacted");
});

it("follows an event into the dead letter it made, and leaves the runs that have a copy to be redacted by themselves", async () => {
  await engine.define(
    "w",
    (request) =>
      isDone(request, "paid")
        ? completed("thanks")
        : yielded({
            type: "wait_for_event",
            step_id: `${request.run_id}:paid:0`,
            event_filter: { event: "paid", timeout: "1h" },
          }),
    { triggers: [{ event: "order" }] },
  );
  await engine.define("broken", () => completed(), {
    triggers: [{ event: "paid", expression: "data.none.x == 1" }],
  });
  await engine.define("starts", () => completed(), { triggers: [{ event: "paid" }] });
  const id = (await engine.emit("order")).runIds[0] ?? "";
  await engine.until("wait", () => engine.run(id).status === "waiting");
  const { eventId, runIds } = await engine.emit("paid", { name: secret });
  await engine.until("end", () => engine.run(id).status === "completed");
  await engine.until("the other's end", () => engine.run(runIds[0] ?? "").status === "completed");
  const copies = ["steps.output", "runs.input"];
  expect(new Set(leaks())).toEqual(new Set(["events.data", "dead_letters.payload", ...copies]));
  await redactEventNow(eventId);
  expect(new Set(leaks())).toEqual(new Set(copies));
  for (const run of [id, ...runIds]) await redactRunNow(run);
  expect(leaks()).toEqual([]);
});

it("lets no function be given a placeholder for data: what was redacted is not resumed", async () => {
  await engine.define(
    "f",
    (request) => failed("no", false, [step(request.run_id, "find", { name: secret })]),
    { triggers: [{ event: "go" }] },
  );
  const ended = async () => {
    const { eventId, runIds } = await engine.emit("go", { name: secret });
    const id = runIds[0] ?? "";
    await engine.until("failure", () => engine.run(id).status === "failed");
    return { id, eventId };
  };
  const resume = (id: string, fromStep?: string) =>
    engine.change((tx) => resumeRun(engine.core, tx, ENV, id, fromStep));
  const refused = { code: "failed_precondition", message: expect.stringContaining("redacted") };

  const run = await ended();
  await redactRunNow(run.id);
  await expect(resume(run.id)).rejects.toMatchObject(refused);
  await expect(resume(run.id, "find")).rejects.toMatchObject(refused);

  const withStep = await ended();
  await engine.change((tx) => redactStep(engine.core, tx, ENV, `${withStep.id}:find:0`));
  await expect(resume(withStep.id)).rejects.toMatchObject(refused);
  expect(engine.run(withStep.id).status).toBe("failed");
  // The step is done again, so nothing of what was replaced is used.
  await resume(withStep.id, "find");
  await engine.until("another failure", () => engine.run(withStep.id).status === "failed");

  const ofEvent = await ended();
  await redactEventNow(ofEvent.eventId);
  await resume(ofEvent.id);
  await engine.until("its failure", () => engine.run(ofEvent.id).status === "failed");
  expect(engine.calls.at(-1)?.event).toMatchObject({ data: { name: secret }, metadata: null });
  expect(JSON.stringify(engine.calls)).not.toContain("$redacted");
});

it("follows a child's run into its own event and into its parent's step", async () => {
  await engine.define("child", () => completed({ name: secret }));
  await engine.define(
    "parent",
    (request) =>
      isDone(request, "child")
        ? completed("end")
        : yielded({
            type: "invoke_function",
            step_id: `${request.run_id}:child:0`,
            function_id: "child",
            input: { name: secret },
            invoke_timeout_ms: 1_000,
          }),
    { triggers: [{ event: "go" }] },
  );
  const id = (await engine.emit("go")).runIds[0] ?? "";
  await engine.until("end", () => engine.run(id).status === "completed");
  const child = engine.steps(id)[0]?.child_run_id ?? "";
  await redactRunNow(child);
  expect(leaks()).toEqual([]);
});

it("redacts one step and what may repeat it, and leaves the others", async () => {
  await engine.define(
    "f",
    (request) =>
      failed(`about ${secret}`, false, [
        step(request.run_id, "a", secret),
        step(request.run_id, "b", "kept"),
      ]),
    { triggers: [{ event: "go" }] },
  );
  const id = (await engine.emit("go", { kept: true })).runIds[0] ?? "";
  await engine.until("failure", () => engine.run(id).status === "failed");
  await engine.change((tx) => redactStep(engine.core, tx, ENV, `${id}:a:0`));
  expect(leaks()).toEqual([]);
  expect([engine.steps(id)[1]?.output, engine.run(id).input]).toEqual(['"kept"', '{"kept":true}']);
});

it("refuses while a run still works with it, and changes nothing then", async () => {
  await engine.define(
    "w",
    (request) =>
      yielded({
        type: "wait_for_event",
        step_id: `${request.run_id}:paid:0`,
        event_filter: { event: "paid", timeout: "1h" },
      }),
    { triggers: [{ event: "order" }] },
  );
  await engine.define("later", () => completed(), {
    triggers: [{ event: "typed" }],
    debounce: { periodMs: 60_000 },
  });
  const { eventId, runIds } = await engine.emit("order", { name: secret });
  const id = runIds[0] ?? "";
  await engine.until("wait", () => engine.run(id).status === "waiting");
  const held = await engine.emit("typed", { name: secret });
  for (const refused of [
    redactEventNow(eventId),
    redactRunNow(id),
    engine.change((tx) => redactStep(engine.core, tx, ENV, `${id}:paid:0`)),
    redactEventNow(held.eventId),
  ]) {
    await expect(refused).rejects.toMatchObject({ code: "failed_precondition" });
  }
  expect(engine.run(id).input).toContain(secret);
  await engine.change((tx) => cancelRun(engine.core, tx, ENV, id, ""));
  await redactRunNow(id);
  await expect(redactEventNow("evt_none")).rejects.toMatchObject({ code: "not_found" });
});

it("leaves nothing in the file and its log, and nothing in the history of the breaker", async () => {
  const folder = await mkdtemp(join(tmpdir(), "redact-"));
  try {
    await engine.stop();
    engine = await createHarness({ file: join(folder, "engine.db") });
    await engine.define("f", () => down(`HTTP 500: ${secret}`), {
      triggers: [{ event: "go" }],
      retry: { maxAttempts: 1 },
    });
    const { eventId, runIds } = await engine.emit("go", { name: secret });
    const id = runIds[0] ?? "";
    await engine.until("pause", () => engine.run(id).status === "paused");
    await engine.change((tx) => cancelRun(engine.core, tx, ENV, id, ""));
    expect(engine.core.breakers.list(ENV)).toMatchObject([{ last_failure_reason: `HTTP 500: ${secret}` }]);
    await redactRunNow(id);
    await redactEventNow(eventId);
    expect(leaks()).toEqual([]);
    expect(engine.core.breakers.list(ENV)[0]?.last_failure_reason).toContain("$redacted");
    for (const name of await readdir(folder)) {
      expect([name, (await readFile(join(folder, name))).includes(secret)]).toEqual([name, false]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
