import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { poll } from "../../../loopback/testing/poll.ts";
import { createIronflowEngine } from "../../engines/ironflow.ts";
import { startRealEngine, type RealEngine } from "../../testing/real-engine.ts";
import functionAuthoring from "./function-authoring.md";
import pushProtocol from "./push-protocol.md";

/** Two functions written from the guides alone, each as its own program, run to their end on the embedded engine. */
const KEY = "a signing key with spaces & signs";
const HANDLERS = fileURLToPath(new URL("../../testing/handlers/", import.meta.url));

let engine: RealEngine;
let api: ReturnType<typeof createIronflowEngine>;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ironbridge-guides-"));
  engine = await startRealEngine({ IRONFLOW_SIGNING_KEY: KEY });
  api = createIronflowEngine({ baseUrl: engine.url, apiKey: engine.apiKey });
});
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  }
  await engine.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts a program and waits until its output has a port at `pattern`. */
async function portOf(
  command: string,
  args: string[],
  { effects, pattern }: { effects: string; pattern: RegExp },
): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", IRONFLOW_SIGNING_KEY: KEY, EFFECTS: effects };
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-10_000)));
  const port = await poll(`the port of ${command}`, () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`);
    return pattern.exec(said)?.[1];
  });
  return `http://127.0.0.1:${port}/`;
}

const startPython = (effects: string) =>
  portOf("python3", [join(HANDLERS, "ship_order.py"), effects], { effects, pattern: /^(\d+)$/m });

const startShell = (effects: string) =>
  portOf(
    "socat",
    ["-d", "-d", "TCP4-LISTEN:0,bind=127.0.0.1,fork", `EXEC:${join(HANDLERS, "ship-order.sh")}`],
    {
      effects,
      pattern: /listening on AF=2 127\.0\.0\.1:(\d+)/,
    },
  );

const linesOf = async (file: string) =>
  (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");

async function runOf(event: string, data: unknown): Promise<string> {
  const { run_ids } = await api.emitEvent({ event, data }, {});
  expect(run_ids).toHaveLength(1);
  return run_ids[0] ?? "";
}

async function ended(runId: string) {
  return poll(`the end of ${runId}`, async () => {
    const run = await api.getRun(runId, {});
    return ["completed", "failed", "paused"].includes(run.status) ? run : undefined;
  });
}

describe("a function in plain Python", () => {
  it("runs to its end: steps once, a sleep, a wait for an event, an escaped step name", async () => {
    const effects = join(folder, "python.txt");
    await engine.registerAt("ship-python", "order.placed.python", await startPython(effects));
    const runId = await runOf("order.placed.python", { order: 7 });
    await poll("the wait for the payment", async () => {
      const { steps } = await api.getRunSteps(runId, {});
      return steps.some(
        ({ status, wait_event_name }) => status === "waiting" && wait_event_name === "order.paid",
      );
    });
    await api.emitEvent({ event: "order.paid", data: { order: 8, by: "somebody else" } }, {});
    await api.emitEvent({ event: "order.paid", data: { order: 7, by: "card" } }, {});
    expect(await ended(runId)).toMatchObject({
      status: "completed",
      output: { shelves: ["a", "b"], shipped: { by: "card" } },
    });
    expect(await linesOf(effects)).toEqual([
      `reserve a ${runId}:reserve\\: part:0`,
      `reserve b ${runId}:reserve\\: part:1`,
      `ship ${runId}:ship:0`,
    ]);
    const { steps } = await api.getRunSteps(runId, {});
    expect(steps.map(({ name, status }) => [name, status])).toEqual([
      ["reserve: part", "completed"],
      ["reserve: part", "completed"],
      ["cool down", "completed"],
      ["payment", "completed"],
      ["ship", "completed"],
    ]);
    expect(await ended(await runOf("order.placed.python", "no order"))).toMatchObject({
      status: "failed",
      error: { message: "the event has no order" },
    });
  });
});

describe("a function in shell", () => {
  it("runs to its end, and does each step once", async () => {
    const effects = join(folder, "shell.txt");
    await engine.registerAt("ship-shell", "order.placed.shell", await startShell(effects));
    const runId = await runOf("order.placed.shell", { order: "ä-7", note: "with 'quotes' and \"more\"" });
    expect(await ended(runId)).toMatchObject({
      status: "completed",
      output: { order: "ä-7", shelf: "B4", shipped: true },
    });
    expect(await linesOf(effects)).toEqual([`reserve ${runId}:reserve:0`, `ship ${runId}:ship:0`]);
    expect(await ended(await runOf("order.placed.shell", {}))).toMatchObject({ status: "failed" });
  });
});

describe.each([
  ["Python", startPython],
  ["shell", startShell],
])("the signature in %s", (name, start) => {
  it("is checked over the raw body, and nothing is done without it", async () => {
    const effects = join(folder, `signature-${name}.txt`);
    const url = await start(effects);
    const body =
      '{ "run_id":"run_try","function_id":"f","attempt":1,"event":{"id":"evt_1","name":"n","data":{"order":"7"},"timestamp":"2026-11-30T09:00:00Z"},"steps":null}';
    const right = `sha256=${createHmac("sha256", KEY).update(body).digest("hex")}`;
    const post = async (signature: string | undefined) => {
      const headers = {
        "content-type": "application/json",
        ...(signature === undefined ? {} : { "x-ironflow-signature": signature }),
      };
      return (await fetch(url, { method: "POST", headers, body })).status;
    };
    expect(await post(undefined)).toBe(401);
    expect(await post(right.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")))).toBe(401);
    expect(await linesOf(effects)).toEqual([]);
    expect(await post(right)).toBe(200);
    expect((await linesOf(effects)).length).toBeGreaterThan(0);
  });
});

describe("the commands in the guides", () => {
  it("sign a body as the engine does", async () => {
    const line = /^openssl dgst .*$/m.exec(pushProtocol)?.[0] ?? "";
    await writeFile(join(folder, "body.json"), '{"a": 1}\n');
    const made = spawnSync("sh", ["-c", line], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", IRONFLOW_SIGNING_KEY: KEY },
    });
    const wanted = createHmac("sha256", KEY).update('{"a": 1}\n').digest("hex");
    expect(made.stdout.toString().trim()).toBe(`sha256=${wanted}`);
  });

  it("register a function and try a handler", async () => {
    const blocks = [...functionAuthoring.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text ?? "");
    const [register = "", tryIt = ""] = blocks;
    const shell = (script: string) =>
      spawnSync("sh", ["-c", script], {
        env: {
          PATH: process.env["PATH"] ?? "",
          IRONFLOW_SERVER_URL: engine.url,
          IRONFLOW_API_KEY: engine.apiKey,
          IRONFLOW_SIGNING_KEY: KEY,
        },
      }).stdout.toString();
    expect(JSON.parse(shell(register))).toMatchObject({
      function: { id: "ship-order", version: 1 },
      created: true,
    });
    const url = await startPython(join(folder, "tried.txt"));
    expect(JSON.parse(shell(tryIt.replace("http://127.0.0.1:8000/", url)))).toMatchObject({
      status: "yielded",
      steps: [{ id: "run_try:reserve\\: part:0" }, {}],
      yield: { type: "sleep" },
    });
  });
});
