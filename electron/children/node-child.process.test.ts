import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startNodeChild, type NodeChild } from "./node-child.ts";

let folder: string;
let records: string[];
let child: NodeChild | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-child-"));
  records = [];
});
afterEach(async () => {
  await child?.stop();
  child = undefined;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function start(program: string, readyWithinMs = 20_000, signal = new AbortController().signal) {
  const entry = join(folder, "program.cjs");
  writeFileSync(entry, program);
  return startNodeChild(
    {
      name: "fixture",
      entry,
      args: ["--flag"],
      env: { FIXTURE_SECRET: "s3cret" },
      session: "12345678-test",
      cwd: folder,
      records: {
        started: (pid) => void records.push(`started ${pid}`),
        ended: (pid) => void records.push(`ended ${pid}`),
      },
      readyWithinMs,
    },
    signal,
  );
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const pidOf = () => Number(records[0]?.split(" ")[1]);
const LIVE = 'process.stdin.resume(); process.stdin.on("end", () => process.exit(0));';

describe("a program of ours", () => {
  it("is ready with what it says, and has its own environment only", async () => {
    process.env["NOT_FOR_CHILDREN"] = "x";
    child = await start(`
      ${LIVE}
      console.log("starting");
      const { FIXTURE_SECRET, NOT_FOR_CHILDREN, IRONBRIDGE_SESSION } = process.env;
      console.log("ready " + JSON.stringify({ FIXTURE_SECRET, NOT_FOR_CHILDREN, IRONBRIDGE_SESSION, argv: process.argv.slice(2) }));
    `);
    delete process.env["NOT_FOR_CHILDREN"];
    expect(child.ready).toEqual({
      FIXTURE_SECRET: "s3cret",
      IRONBRIDGE_SESSION: "12345678-test",
      argv: ["--flag"],
    });
  });

  it("is ended, awaited and forgotten", async () => {
    child = await start(`${LIVE} console.log("ready {}")`);
    const { pid } = child;
    await child.stop();
    expect(isAlive(pid)).toBe(false);
    expect(await child.ended).toBe("The fixture ended with code 0.");
    expect(records).toEqual([`started ${pid}`, `ended ${pid}`]);
  });

  it("that ends says how, with its last words", async () => {
    child = await start('console.log("ready {}"); console.error("no space left"); process.exitCode = 3;');
    expect(await child.ended).toBe("The fixture ended with code 3: no space left.");
  });

  it("that ends before it is ready is an error with its last words", async () => {
    await expect(start('console.error("no port"); process.exit(2);')).rejects.toThrow(
      "The fixture ended with code 2: no port.",
    );
  });

  it.each([
    ["is not ready in time", LIVE, "was not ready within 0.3 s"],
    ["says ready without JSON", `${LIVE} console.log("ready soon")`, "without readable JSON"],
    ["talks without end", `${LIVE} process.stdout.write("x".repeat(100000))`, "said too much"],
  ])("that %s is ended", async (_, program, sentence) => {
    await expect(start(program, sentence.includes("0.3") ? 300 : 20_000)).rejects.toThrow(sentence);
    expect(isAlive(pidOf())).toBe(false);
  });

  it("that is no longer wanted while it starts is ended", async () => {
    const cancel = new AbortController();
    const starting = start(LIVE, 20_000, cancel.signal);
    cancel.abort();
    await expect(starting).rejects.toThrow("was stopped while it started");
    expect(isAlive(pidOf())).toBe(false);
  });

  it("never blocks on what nobody reads", async () => {
    child = await start(`
      console.log("ready {}");
      process.stdout.write("x".repeat(4_000_000), () => console.error("written"));
    `);
    expect(await child.ended).toBe("The fixture ended with code 0: written.");
  });
});
