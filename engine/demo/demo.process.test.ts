import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { ListDeadLettersResponse, RestBreaker } from "../contract/operations.ts";
import { GetRunStepsResponse, ListRunsResponse, type ConnectRun } from "../contract/runs.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "../testing/engine-process.ts";

let factory: EngineFactory;
let bundle: Bundle;

beforeAll(async () => {
  factory = await createEngineFactory();
  bundle = await bundleEntry(new URL("./main.ts", import.meta.url));
});

afterAll(async () => {
  await factory.close();
  await bundle.remove();
});

interface Demo {
  url: string;
  /** Closes its stdin and waits until it is gone. */
  stop(): Promise<number | null>;
}

/** Starts the demo and waits for its ready line. */
async function startDemo(engine: EngineProcess, env: Record<string, string> = {}): Promise<Demo> {
  const child = spawn(process.execPath, [bundle.file], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      PATH: process.env["PATH"] ?? "",
      IRONFLOW_SERVER_URL: engine.url,
      IRONFLOW_API_KEY: engine.key,
      ...env,
    },
  });
  let stdout = "";
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  const gone = once(child, "exit");
  const line = await poll("the demo's ready line", () => {
    if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
    return /^demo ready (\{.*\})$/m.exec(stdout)?.[1];
  });
  return {
    url: (JSON.parse(line) as { url: string }).url,
    stop: async () => {
      child.stdin.end();
      await gone;
      return child.exitCode;
    },
  };
}

/** The runs of a function, oldest first. */
async function runsOf(engine: EngineProcess, functionId: string): Promise<ConnectRun[]> {
  return ListRunsResponse.parse(await engine.ask("ListRuns", { functionId })).runs.toReversed();
}

const settled = /COMPLETED|FAILED|PAUSED|CANCELLED/;

it("shows every way a run can go, by emitted events and failing endpoints only", async () => {
  const engine = await factory.start({ flags: [] });
  const demo = await startDemo(engine);
  const only = async (functionId: string): Promise<ConnectRun> => {
    const [run] = await runsOf(engine, functionId);
    if (run === undefined) throw new Error(`no run of ${functionId}`);
    return run;
  };
  const stepsOf = async (run: ConnectRun) =>
    GetRunStepsResponse.parse(await engine.ask("GetRunSteps", { runId: run.id })).steps;

  for (const id of [
    "fulfil-order",
    "print-shipping-label",
    "ask-for-review",
    "book-carrier",
    "welcome-loyal-customer",
  ]) {
    await poll(`the runs of ${id} to settle`, async () =>
      (await runsOf(engine, id)).every((run) => settled.test(run.status)),
    );
  }

  const [retried, other] = await runsOf(engine, "fulfil-order");
  expect([retried?.status, retried?.attempt]).toEqual(["RUN_STATUS_COMPLETED", 3]);
  expect(other?.status).toBe("RUN_STATUS_COMPLETED");

  const labels = await runsOf(engine, "print-shipping-label");
  expect(labels.map(({ status }) => status)).toEqual(["RUN_STATUS_FAILED", "RUN_STATUS_COMPLETED"]);
  expect(labels[0]?.error?.message).toMatch(/no postcode/);

  const review = await only("ask-for-review");
  expect((await stepsOf(review)).map(({ stepType }) => stepType)).toEqual([
    "STEP_TYPE_SLEEP",
    "STEP_TYPE_INVOKE_FUNCTION",
  ]);
  expect(await only("send-mail")).toMatchObject({ parentRunId: review.id, status: "RUN_STATUS_COMPLETED" });

  await poll(
    "the payment",
    async () => (await runsOf(engine, "collect-payment"))[1]?.status === "RUN_STATUS_COMPLETED",
  );
  expect((await only("collect-payment")).status).toBe("RUN_STATUS_WAITING");

  const letters = ListDeadLettersResponse.parse((await engine.rest("/api/v1/dead-letters")).body);
  expect(letters).toMatchObject({
    total: 1,
    items: [{ source: "routing", function_id: "welcome-loyal-customer" }],
  });
  expect(await runsOf(engine, "welcome-loyal-customer")).toHaveLength(1);

  await poll("the breaker to open", async () => {
    const breakers = RestBreaker.array().parse((await engine.rest("/api/v1/circuit-breakers")).body);
    return breakers.some((row) => row.function_id === "pick-in-warehouse" && row.state === "open");
  });
  await poll(
    "the run behind the breaker",
    async () => (await only("pick-in-warehouse")).status === "RUN_STATUS_WAITING",
  );

  const paused = await only("book-carrier");
  expect([paused.status, paused.attempt]).toEqual(["RUN_STATUS_PAUSED", 3]);
  await mend(engine, "carrier.restored", "mend-carrier");
  await engine.ask("ResumeRun", { runId: paused.id });
  await poll("the resumed run", async () => (await only("book-carrier")).status === "RUN_STATUS_COMPLETED");

  await mend(engine, "warehouse.restored", "mend-warehouse");
  const [open] = RestBreaker.array().parse((await engine.rest("/api/v1/circuit-breakers")).body);
  await engine.rest(`/api/v1/circuit-breakers/${encodeURIComponent(open?.key ?? "")}/reset`, {});
  await poll(
    "the run behind the breaker",
    async () => (await only("pick-in-warehouse")).status === "RUN_STATUS_COMPLETED",
  );
  expect(await demo.stop()).toBe(0);
});

async function mend(engine: EngineProcess, event: string, functionId: string): Promise<void> {
  await engine.ask("Emit", { event, data: {} });
  await poll(
    `${functionId} to end`,
    async () => (await runsOf(engine, functionId))[0]?.status === "RUN_STATUS_COMPLETED",
  );
}

it("repeats nothing when it is started again", async () => {
  const engine = await factory.start({ flags: [] });
  /** Mails are left out: they are sent by runs that go on by themselves meanwhile. */
  const counts = async () => {
    const events = await engine.rest("/api/v1/events?source=api&limit=200");
    const runs = ListRunsResponse.parse(await engine.ask("ListRuns", { limit: 1000 })).runs;
    return [events.body["approx_total"], runs.filter(({ functionId }) => functionId !== "send-mail").length];
  };
  expect(await (await startDemo(engine)).stop()).toBe(0);
  const before = await counts();
  expect(before).toEqual([12, 10]);
  expect(await (await startDemo(engine)).stop()).toBe(0);
  expect(await counts()).toEqual(before);
});

it("serves only signed calls when there is a key", async () => {
  const key = { IRONFLOW_SIGNING_KEY: "shared" };
  const engine = await factory.start({ flags: [], env: key });
  const demo = await startDemo(engine, key);
  await poll(
    "an order",
    async () => (await runsOf(engine, "fulfil-order"))[0]?.status === "RUN_STATUS_COMPLETED",
  );
  const unsigned = await fetch(`${demo.url}/functions/fulfil-order`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect(unsigned.status).toBe(401);
  expect(await demo.stop()).toBe(0);
});
