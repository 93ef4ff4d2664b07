import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIronflowEngine } from "../engines/ironflow.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";
import { Evidence, RELOAD_LIMITS } from "./evidence.ts";

let stub: StubEngine;
let folder: string;
let version: number;
let projection: number;
const path = () => join(folder, "trail.jsonl");
const engine = () => createIronflowEngine({ baseUrl: stub.url, limits: { firstDelayMs: 1 } });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ironbridge-evidence-"));
  version = 1;
  projection = 1;
  stub = await stubEngine({
    "POST /ironflow.v1.IronflowService/ListFunctions": () => ({
      json: { functions: [{ id: "ship", status: "FUNCTION_STATUS_ACTIVE", version }] },
    }),
    "POST /ironflow.v1.ProjectionService/ListProjections": () => ({
      json: { projections: [{ name: "orders", mode: "managed", status: "active", version: projection }] },
    }),
  });
});
afterEach(async () => {
  await stub.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe("the reload barrier", () => {
  it("returns at once when the registered version has passed the tested one", async () => {
    const evidence = await Evidence.open(path(), engine());
    await evidence.noteTest("ironflow_emit_event order.placed", {});
    version = 2;
    expect(await evidence.awaitReload({})).toMatchObject({
      reloaded: true,
      changed: [{ kind: "function", id: "ship", from_version: 1, to_version: 2 }],
      baseline: { what: "ironflow_emit_event order.placed" },
    });
    evidence.close();
  });

  it("waits for the reload, of a projection too", async () => {
    const clock = manualClock();
    const evidence = await Evidence.open(path(), engine(), clock);
    await evidence.noteTest("a test", {});
    const waiting = evidence.awaitReload({});
    while (clock.asleep === 0) await new Promise((done) => setImmediate(done));
    projection = 2;
    await clock.pass(RELOAD_LIMITS.lookMs);
    expect(await waiting).toMatchObject({
      reloaded: true,
      changed: [{ kind: "projection", id: "orders", from_version: 1, to_version: 2 }],
      waited_ms: RELOAD_LIMITS.lookMs,
    });
    evidence.close();
  });

  it("gives up after 15 s, and a later test is the new baseline", async () => {
    const clock = manualClock();
    const evidence = await Evidence.open(path(), engine(), clock);
    version = 2;
    await evidence.noteTest("a test of version 2", {});
    const state = { isDone: false };
    const waiting = evidence.awaitReload({}).finally(() => (state.isDone = true));
    for (let looks = 0; !state.isDone && looks < 1_000; looks += 1) {
      if (clock.asleep > 0) await clock.pass(RELOAD_LIMITS.lookMs);
      await new Promise((done) => setImmediate(done));
    }
    expect(await waiting).toMatchObject({ reloaded: false, changed: [], waited_ms: RELOAD_LIMITS.waitMs });
    evidence.close();
  });

  it("knows after a restart what was tested, and passes over torn and foreign lines", async () => {
    const first = await Evidence.open(path(), engine());
    await first.noteTest("before the restart", {});
    first.close();
    const trail = await readFile(path(), "utf8");
    await writeFile(path(), `not json\n${trail}{"kind":"baseline","at":"x","engine":"http://other","what":"`);
    version = 5;
    const second = await Evidence.open(path(), engine());
    await second.noteStart();
    expect(await second.awaitReload({})).toMatchObject({
      reloaded: true,
      baseline: { what: "before the restart" },
      changed: [{ from_version: 1, to_version: 5 }],
    });
    await second.noteTest("after the restart", {});
    second.close();
    // The torn line at the end swallows nothing that is written after it.
    const third = await Evidence.open(path(), engine());
    version = 6;
    expect(await third.awaitReload({})).toMatchObject({ baseline: { what: "after the restart" } });
    third.close();
  });

  it("takes the versions at its start where nothing was tested", async () => {
    const evidence = await Evidence.open(path(), engine());
    await evidence.noteStart();
    version = 2;
    expect(await evidence.awaitReload({})).toMatchObject({
      reloaded: true,
      baseline: { what: "the start of this tool server" },
    });
    evidence.close();
  });

  it("fails when the engine refuses, and ends when the caller gives up", async () => {
    stub.routes["POST /ironflow.v1.IronflowService/ListFunctions"] = () => ({
      status: 401,
      json: { code: "unauthenticated", message: "no" },
    });
    const evidence = await Evidence.open(path(), engine());
    await expect(evidence.awaitReload({})).rejects.toMatchObject({ code: "unauthenticated" });
    const abort = AbortSignal.abort();
    await expect(evidence.awaitReload({ signal: abort })).rejects.toMatchObject({ code: "canceled" });
    evidence.close();
  });

  it("writes one registry for many tests of the same code", async () => {
    const evidence = await Evidence.open(path(), engine());
    for (let test = 0; test < 5; test += 1) await evidence.noteTest(`test ${test}`, {});
    evidence.close();
    const kinds = (await readFile(path(), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual(["registry", ...Array.from({ length: 5 }, () => "baseline")]);
  });
});
