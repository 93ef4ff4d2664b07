import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../loopback/testing/alive.ts";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { CLIENTS, textOf } from "../testing/clients.ts";
import { newerEra, restOnly } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";

const INFO = { name: "test", version: "1" };
let server: Bundle;

beforeAll(async () => {
  server = await bundleEntry(new URL("./main.ts", import.meta.url));
});
afterAll(() => server.remove());

const on = (engine: StubEngine) => ({ args: [server.file, "--server-url", engine.url] });

const ERAS = [
  { era: "the newer era", routes: newerEra },
  { era: "REST only", routes: restOnly },
];

describe.each(CLIENTS)("the tool server for $name", ({ connect }) => {
  describe.each(ERAS)("with an engine of $era", ({ routes }) => {
    it("lists and calls the run tools, and is gone after close", async () => {
      const engine = await stubEngine(routes());
      const client = await connect(on(engine));
      try {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toContain("ironflow_list_runs");

        const runs = await client.call("ironflow_list_runs", { status: "failed" });
        expect(runs.isError).toBeFalsy();
        expect(runs.structuredContent).toEqual(textOf(runs));
        expect(runs.structuredContent).toMatchObject({
          runs: [{ id: "run_1", status: "failed", error: { message: "no such address" } }],
          count: 1,
          total_count: 1,
        });
        expect(JSON.stringify(runs)).not.toContain("ship.ts:3");

        const run = await client.call("ironflow_get_run", { run_id: "run_1" });
        expect(run.structuredContent).toMatchObject({ input: { order: 7 }, error: { code: "STEP_FAILED" } });

        const steps = await client.call("ironflow_get_run_steps", { run_id: "run_1" });
        expect(steps.structuredContent).toMatchObject({
          steps: [{ id: "step_1", name: "charge", step_type: "invoke", status: "completed", output: "paid" }],
          count: 1,
        });

        const info = await client.call("ironflow_server_info", {});
        expect(info.structuredContent).toMatchObject({ status: "healthy", url: engine.url });
      } finally {
        await client.close();
        await engine.close();
      }
      expect(client.pid).not.toBeNull();
      await poll("the server's process is gone", () => !isAlive(client.pid ?? 0));
    });
  });

  it("answers a failed call with the error object, and bad arguments without asking the engine", async () => {
    const engine = await stubEngine(newerEra());
    const client = await connect(on(engine));
    try {
      const missing = await client.call("ironflow_get_run", { run_id: "run_none" });
      expect(missing.isError).toBe(true);
      expect(textOf(missing)).toMatchObject({ code: "not_found", error: "run not found", retryable: false });

      const asked = engine.requests.length;
      const bad = await client.call("ironflow_get_run", { run: "run_1" });
      expect(textOf(bad)).toMatchObject({
        code: "invalid_argument",
        error:
          "arguments.run_id: is required and must be a string; arguments.run: is not an argument here; it takes run_id",
      });
      expect(engine.requests).toHaveLength(asked);
    } finally {
      await client.close();
      await engine.close();
    }
  });
});

describe("the tool server's process", () => {
  it("writes nothing but JSON-RPC to stdout and ends with 0 when stdin ends", async () => {
    const engine = await stubEngine(newerEra());
    const child = spawn(process.execPath, [server.file, "--server-url", engine.url]);
    const stdout: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO },
    });
    send({ method: "notifications/initialized" });
    child.stdin.write("this is not JSON\n");
    send({ id: 2, method: "tools/call", params: { name: "ironflow_server_info", arguments: {} } });
    await poll("an answer", () => Buffer.concat(stdout).includes('"id":2'));
    child.stdin.end();
    const [code] = (await once(child, "exit")) as [number];
    await engine.close();
    expect(code).toBe(0);
    const lines = Buffer.concat(stdout).toString("utf8").trimEnd().split("\n");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("ends with 0 on SIGTERM", async () => {
    const child = spawn(process.execPath, [server.file]);
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO } })}\n`,
    );
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each([
    { args: ["--nonsense"], says: "Unknown option '--nonsense'" },
    {
      args: ["--server-url", "http://me:pw@127.0.0.1"],
      says: "--server-url must not carry a name or password",
    },
    { args: ["--transport", "streamable-http"], says: "--transport must be stdio" },
    { args: ["--terminal-bridge-url", "http://127.0.0.1:1"], says: "needs --allow-writes" },
  ])("refuses $args with one line on stderr and exit code 4", async ({ args, says }) => {
    const child = spawn(process.execPath, [server.file, ...args]);
    const out = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (out.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (out.stderr += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(4);
    expect(out.stdout).toBe("");
    expect(out.stderr).toContain(says);
    expect(out.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(out.stderr).not.toContain("pw@");
  });
});
