import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { ConnectRun } from "./contract/runs.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "./testing/function-server.ts";

const runsAtOnce = 50;

let factory: EngineFactory;
let functions: FunctionServer;
/** How often each step of each run really did something. */
let effects: Map<string, number>;
let underWay: Set<string>;
/** While closed, the last step of a run does not end. */
let open: () => void;
let gate: Promise<void>;

beforeAll(async () => {
  factory = await createEngineFactory();
  effects = new Map();
  underWay = new Set();
  const effect = (key: string) => effects.set(key, (effects.get(key) ?? 0) + 1);
  functions = await createFunctionServer({
    work: async ({ runId, steps }) => {
      await steps.run("reserve", () => effect(`${runId}:reserve:0`));
      await steps.run("charge", () => effect(`${runId}:charge:0`));
      await steps.sleep("pause", 5);
      await steps.run("pack", () => effect(`${runId}:pack:0`));
      await steps.sleep("pause", 5);
      await steps.run("send", async () => {
        underWay.add(runId);
        await gate;
        return effect(`${runId}:send:0`);
      });
      return "done";
    },
  });
});

afterAll(async () => {
  open();
  await functions.close();
  await factory.close();
});

function closeGate(): void {
  gate = new Promise((resolve) => (open = resolve));
  underWay.clear();
}

async function register(engine: EngineProcess): Promise<void> {
  await engine.ask("RegisterFunction", {
    id: "work",
    triggers: [{ event: "go" }],
    endpointUrl: functions.endpoint("work"),
    retry: { initialDelayMs: 20 },
    concurrency: { limit: runsAtOnce },
  });
}

async function emitMany(engine: EngineProcess): Promise<string[]> {
  const emitted = await Promise.all(
    Array.from({ length: runsAtOnce }, () => engine.ask("Emit", { event: "go", data: {} })),
  );
  return emitted.flatMap(({ runIds }) => runIds as string[]);
}

/** What the engine had on disk when it died. */
function acknowledgedSteps(engine: EngineProcess): string[] {
  const db = new DatabaseSync(join(engine.dataDir, "engine.db"));
  try {
    expect(Object.values(db.prepare("pragma integrity_check").get() as object)).toEqual(["ok"]);
    const rows = db.prepare("select id from steps where status = 'completed' and type = 'invoke'").all();
    return rows.map((row) => (row as { id: string }).id);
  } finally {
    db.close();
  }
}

async function expectAllEnd(engine: EngineProcess, ids: string[]): Promise<void> {
  for (const id of ids) {
    await poll(
      `run ${id} to complete`,
      async () => ConnectRun.parse(await engine.ask("GetRun", { id })).status === "RUN_STATUS_COMPLETED",
    );
    for (const name of ["reserve", "charge", "pack", "send"]) {
      expect(effects.get(`${id}:${name}:0`), `${name} of ${id}`).toBeGreaterThanOrEqual(1);
    }
  }
}

it("[F-SHOW-2] ends every one of 50 runs that were in a call when it was killed, and repeats no acknowledged step", async () => {
  closeGate();
  const engine = await factory.start();
  await register(engine);
  const ids = await emitMany(engine);
  await poll("all runs to be in their last step", () => underWay.size === runsAtOnce, 60_000);
  await engine.end("SIGKILL");
  const acknowledged = acknowledgedSteps(engine);
  expect(acknowledged).toHaveLength(runsAtOnce * 3);
  open();

  const again = await factory.start({ dataDir: engine.dataDir });
  await expectAllEnd(again, ids);
  expect(acknowledged.filter((id) => effects.get(id) !== 1)).toEqual([]);
});

it("does so wherever it is killed, again and again", async () => {
  closeGate();
  open();
  let engine = await factory.start();
  await register(engine);
  const ids: string[] = [];
  for (const afterMs of [1, 8, 15, 30]) {
    ids.push(...(await emitMany(engine)));
    // The moment is arbitrary on purpose; nothing is expected of it.
    await sleep(afterMs);
    await engine.end("SIGKILL");
    const counts = acknowledgedSteps(engine).map((id) => [id, effects.get(id)] as const);
    engine = await factory.start({ dataDir: engine.dataDir });
    await poll("something to go on", async () => {
      const page = await engine.ask("ListRuns", { statuses: ["completed"], limit: 1 });
      return Number(page["totalCount"] ?? 0) > 0;
    });
    expect(counts.filter(([id, count]) => effects.get(id) !== count)).toEqual([]);
  }
  await expectAllEnd(engine, ids);
});

it("finishes what is under way when it is asked to stop, so that a restart repeats nothing", async () => {
  closeGate();
  const engine = await factory.start();
  await register(engine);
  const ids = await emitMany(engine);
  await poll("all runs to be in their last step", () => underWay.size === runsAtOnce, 60_000);
  const ended = engine.end("SIGTERM");
  open();
  expect(await ended).toBe(0);
  const again = await factory.start({ dataDir: engine.dataDir });
  await expectAllEnd(again, ids);
  for (const id of ids) expect(effects.get(`${id}:send:0`)).toBe(1);
});
