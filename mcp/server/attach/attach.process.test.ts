import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../../loopback/testing/bundle.ts";
import { poll } from "../../../loopback/testing/poll.ts";
import { CLIENTS, textOf, type AnyClient } from "../../testing/clients.ts";
import { newerEra } from "../../testing/engine-eras.ts";
import { httpServer, type HttpServer } from "../../testing/http-server.ts";
import { stubEngine, type StubEngine } from "../../testing/stub-engine.ts";

const TOKEN = "ibk_token-of-this-agent";
const GONE_PID = 2 ** 22 + 1; // above what the kernel gives
let file: Bundle;
let engine: StubEngine;
let app: HttpServer;
let folder: string;
let connectionFile: string;
let client: AnyClient | undefined;

const announce = (url: string, pid: number | undefined = process.pid) =>
  writeFileSync(connectionFile, JSON.stringify({ version: 1, pid, mcp: { url } }), { mode: 0o600 });

/** Something that answers MCP in both eras stands in for the app: the tool server itself, over HTTP. */
async function startApp(): Promise<void> {
  app = await httpServer(file.file, engine.url, TOKEN, folder);
  announce(app.url);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ironbridge-attach-"));
  connectionFile = join(folder, "connection.json");
  file = await bundleEntry(new URL("../main.ts", import.meta.url));
});
afterAll(async () => {
  await file.remove();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  engine = await stubEngine(newerEra());
  await startApp();
});
afterEach(async () => {
  await client?.close();
  client = undefined;
  await app.stop();
  await engine.close();
});

const attached = () => ({
  args: [file.file, "--attach", `--connection-file=${connectionFile}`],
  env: { IRONBRIDGE_TOKEN: TOKEN },
});

/** Runs `--attach` with its stdin open until it ends by itself. */
async function outcome(env: Record<string, string>, flags: string[] = []) {
  const child = spawn(process.execPath, [file.file, "--attach", ...flags], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  let stdout = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  const code = await new Promise((done) => child.once("close", done));
  return { code, stderr, stdout };
}

describe.each(CLIENTS)("an agent on stdio with $name", ({ connect }) => {
  it("lists and calls what the app serves", async () => {
    client = await connect(attached());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("ironflow_list_runs");
    const answer = await client.call("ironflow_server_info", {});
    expect(textOf(answer)).toMatchObject({ url: engine.url });
  });

  it("goes on after the app has restarted on another port, and says so only where nothing was done", async () => {
    client = await connect(attached());
    await client.call("ironflow_server_info", {});
    await app.stop();
    const refused = await client.call("ironflow_server_info", {});
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatchObject({ code: "unavailable", retryable: true });
    await startApp();
    expect(textOf(await client.call("ironflow_server_info", {}))).toMatchObject({ url: engine.url });
  });

  it("hears that the outcome is not known when the app goes away while it works", async () => {
    client = await connect(attached());
    let asked = false;
    engine.routes["GET /health"] = () => () => {
      asked = true; // and no answer
    };
    const answer = client.call("ironflow_server_info", {});
    await poll("the call at the engine", () => asked);
    app.child.kill("SIGKILL");
    const lost = await answer;
    expect(lost.isError).toBe(true);
    expect(textOf(lost)).toMatchObject({ code: "unavailable", retryable: false });
  });
});

describe("the command", () => {
  it("says that no app runs, and how to name its file", async () => {
    const missing = join(folder, "missing.json");
    const { code, stderr, stdout } = await outcome({ IRONBRIDGE_TOKEN: TOKEN }, [
      `--connection-file=${missing}`,
    ]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      `ironbridge-mcp: Ironbridge is not running: there is no ${missing}; start the app, or name its file with --connection-file=FILE.\n`,
    );
    expect(stdout).toBe("");
  });

  it("finds the app's own profile by default", async () => {
    const { stderr } = await outcome({ IRONBRIDGE_TOKEN: TOKEN, HOME: folder, XDG_CONFIG_HOME: folder });
    expect(stderr).toContain(join("Ironbridge", "connection.json"));
  });

  it("says that the process of the file is gone", async () => {
    announce(app.url, GONE_PID);
    const env = { IRONBRIDGE_TOKEN: TOKEN, IRONBRIDGE_CONNECTION_FILE: connectionFile };
    const { code, stderr } = await outcome(env);
    expect(code).toBe(3);
    expect(stderr).toContain(`its process ${GONE_PID} is gone`);
  });

  it.each(["http://evil.example/mcp", "http://127.0.0.1:80@evil.example/mcp", "https://127.0.0.1:1/mcp"])(
    "sends its token to no other place than loopback, so not to %s",
    async (url) => {
      announce(url);
      const { code, stderr } = await outcome({ IRONBRIDGE_TOKEN: TOKEN }, [
        `--connection-file=${connectionFile}`,
      ]);
      expect(code).toBe(3);
      expect(stderr).toContain("mcp.url is wrong");
    },
  );

  it.skipIf(process.platform === "win32")("does not trust a file that others may write", async () => {
    const open = join(folder, "open.json");
    writeFileSync(open, readFileSync(connectionFile));
    const { chmodSync } = await import("node:fs");
    chmodSync(open, 0o666);
    const { code, stderr } = await outcome({ IRONBRIDGE_TOKEN: TOKEN }, [`--connection-file=${open}`]);
    expect(code).toBe(3);
    expect(stderr).toContain("nobody else may be able to write");
  });

  it("says that the token is refused, without repeating it", async () => {
    const { code, stderr } = await outcome({ IRONBRIDGE_TOKEN: "ibk_another" }, [
      `--connection-file=${connectionFile}`,
    ]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^ironbridge-mcp: Ironbridge does not know the token in IRONBRIDGE_TOKEN.*\.\n$/);
    expect(stderr).not.toContain("ibk_another");
  });

  it("needs the token in the environment", async () => {
    const { code, stderr } = await outcome({}, [`--connection-file=${connectionFile}`]);
    expect(code).toBe(4);
    expect(stderr).toContain("IRONBRIDGE_TOKEN is needed in the environment");
  });

  it("answers what is no message, shakes hands, and ends with its stdin", async () => {
    const child = spawn(process.execPath, attached().args, {
      env: attached().env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stdin.write("no message\n");
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ error: { code: -32_700 } });
    child.stdin.write(
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}\n`,
    );
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 1, result: {} });
    child.stdin.end();
    expect(await new Promise((done) => child.once("exit", done))).toBe(0);
  });
});
