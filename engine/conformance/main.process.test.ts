import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createEngineFactory, type EngineFactory } from "../testing/engine-process.ts";
import { allRows } from "./rows/rows.ts";

const RUN = fileURLToPath(new URL("run.mjs", import.meta.url));

let factory: EngineFactory;
beforeAll(async () => {
  factory = await createEngineFactory();
});
afterAll(() => factory.close());

/** What `npm run test:engine` says about its first row. */
async function run(...flags: string[]): Promise<string> {
  const child = spawn(process.execPath, [RUN, `--only=${allRows[0]?.id}`, ...flags], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  child.stdout.on("data", (part: Buffer) => (said += part.toString("utf8")));
  expect((await once(child, "close"))[0]).toBe(0);
  return said;
}

it("tells what stays on somebody's engine, and nothing of the kind about its own, which is gone", async () => {
  const engine = await factory.start();
  const theirs = await run(`--url=${engine.url}`);
  expect(theirs).toContain("removed what the rows had made there; their events stay\n");
  const own = await run();
  expect(own).toMatch(/^[1-9]\d* passed, 0 failed$/m);
  expect(own).not.toContain("their events stay");
});
