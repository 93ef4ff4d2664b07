import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { ListRunsResponse, type ConnectRun } from "../contract/runs.ts";
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

/** Starts the demo, waits for its ready line, and gives a way to end it by closing its stdin. */
async function startDemo(engine: EngineProcess): Promise<{ stop(): Promise<number | null> }> {
  const child = spawn(process.execPath, [bundle.file], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", IRONFLOW_SERVER_URL: engine.url, IRONFLOW_API_KEY: engine.key },
  });
  let stdout = "";
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  const gone = once(child, "exit");
  await poll("the demo's ready line", () => {
    if (child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
    return /^demo ready \{"url":"http:\/\/127\.0\.0\.1:\d+"\}$/m.test(stdout);
  });
  return {
    stop: async () => {
      child.stdin.end();
      await gone;
      return child.exitCode;
    },
  };
}

async function runsOf(engine: EngineProcess, functionId: string): Promise<ConnectRun[]> {
  return ListRunsResponse.parse(await engine.ask("ListRuns", { functionId })).runs;
}

it("completes one order and fails another for a real reason, and a second start repeats nothing", async () => {
  const engine = await factory.start({ flags: [] });
  const demo = await startDemo(engine);
  await poll("both runs to end", async () => {
    const [done] = await runsOf(engine, "fulfil-order");
    const [failed] = await runsOf(engine, "print-shipping-label");
    return done?.status === "RUN_STATUS_COMPLETED" && failed?.status === "RUN_STATUS_FAILED";
  });
  const [failed] = await runsOf(engine, "print-shipping-label");
  expect(failed?.error?.message).toMatch(/no postcode/);
  expect(await demo.stop()).toBe(0);

  const again = await startDemo(engine);
  expect(await runsOf(engine, "fulfil-order")).toHaveLength(1);
  expect(await runsOf(engine, "print-shipping-label")).toHaveLength(1);
  expect(await again.stop()).toBe(0);
});
