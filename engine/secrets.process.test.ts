import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { SECRETS_KEY_FILE } from "./secrets/keys.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";
import { createFunctionServer, type FunctionServer } from "./testing/function-server.ts";
import { workerCalls } from "./testing/pull-worker.ts";

let factory: EngineFactory;
let functions: FunctionServer;

const plain = 'hunter2-"quoted"-\u00fc-and-long';
const asJson = JSON.stringify(plain).slice(1, -1);
const second = "another-value-entirely";

beforeAll(async () => {
  factory = await createEngineFactory();
  functions = await createFunctionServer({
    // Says everything it was told in its error.
    tells: {
      answer: async (request) => ({
        status: "failed",
        steps: [
          {
            id: `${request.run_id}:look:0`,
            name: "look",
            type: "invoke",
            status: "failed",
            started_at: new Date().toISOString(),
            error: { message: `the step saw ${JSON.stringify(request.secrets)}`, retryable: false },
          },
        ],
        error: { message: `saw ${String(request.secrets?.["TOKEN"])}`, stack: plain, retryable: false },
      }),
    },
    fine: { answer: async () => ({ status: "completed", steps: [], result: "fine" }) },
  });
});

afterAll(async () => {
  await functions.close();
  await factory.close();
});

async function send(engine: EngineProcess, method: string, path: string, body?: unknown) {
  const response = await fetch(engine.url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(engine.key === "" ? {} : { authorization: `Bearer ${engine.key}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Files of the data folder that hold the text. */
async function filesWith(dataDir: string, text: string): Promise<string[]> {
  const files = await readdir(dataDir);
  const found = await Promise.all(
    files.map(async (file) => ((await readFile(join(dataDir, file))).includes(text) ? [file] : [])),
  );
  return found.flat();
}

const runStatus = async (engine: EngineProcess, id: string) =>
  String((await engine.ask("GetRun", { id }))["status"]);

async function runOnce(engine: EngineProcess, event: string, status: RegExp): Promise<string> {
  const { runIds } = (await engine.ask("Emit", { event, data: {} })) as { runIds: string[] };
  const id = runIds[0] ?? "";
  await poll(`run of ${event} ${status}`, async () => status.test(await runStatus(engine, id)));
  return id;
}

it("keeps a secret out of every file, answer and log, whatever the function does with it", async () => {
  const refusals: string[] = [];
  const engine = await factory.start({ flags: [] });
  await send(engine, "POST", "/api/v1/secrets", { name: "TOKEN", value: plain });
  // An endpoint that repeats its request in its refusal.
  const echo = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      refusals.push(Buffer.concat(parts).toString("utf8"));
      response
        .writeHead(500)
        .end(`{"secrets":${JSON.stringify({ TOKEN: plain })},"rest":"${"x".repeat(300)}"}`);
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const address = echo.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const define = (id: string, endpointUrl: string) =>
    engine.ask("RegisterFunction", {
      id,
      endpointUrl,
      triggers: [{ event: id }],
      secrets: ["TOKEN"],
      retry: { maxAttempts: 1 },
    });
  await define("tells", functions.endpoint("tells"));
  await define("echoes", `http://127.0.0.1:${port}/`);
  await engine.ask("RegisterFunction", {
    id: "pulls",
    triggers: [{ event: "pulls" }],
    preferredMode: "EXECUTION_MODE_PULL",
    secrets: ["TOKEN"],
    retry: { maxAttempts: 1 },
  });
  const runs = [await runOnce(engine, "tells", /FAILED/), await runOnce(engine, "echoes", /PAUSED/)];
  expect(refusals[0]).toContain(asJson);

  const worker = workerCalls(engine.url, engine.key, "w");
  await worker.register(["pulls"]);
  const { runIds } = (await engine.ask("Emit", { event: "pulls", data: {} })) as { runIds: string[] };
  const [job] = (await worker.poll(1)).jobs;
  expect(job).toMatchObject({ context: { secrets: { TOKEN: plain } } });
  if (job === undefined) throw new Error("no job");
  await worker.report(job, {
    status: "failed",
    error: { message: `saw ${plain}`, retryable: false },
    steps: [{ id: `${job.run_id}:s:0`, name: "s", status: "failed", error: `step saw ${plain}` }],
  });
  runs.push(...runIds);
  await send(engine, "PUT", "/api/v1/secrets/TOKEN", { value: second });
  await send(engine, "PATCH", "/api/v1/secrets/TOKEN", { description: "d" });
  await send(engine, "POST", "/api/v1/secrets", { name: "TOKEN", value: plain });
  await send(engine, "PUT", "/api/v1/secrets/TOKEN", { value: plain, extra: plain });
  await send(engine, "PUT", "/api/v1/secrets/TOKEN", { value: [plain] });

  const answers = [
    await send(engine, "GET", "/api/v1/secrets"),
    await send(engine, "GET", "/api/v1/secrets/TOKEN"),
    await send(engine, "GET", "/api/v1/audit?limit=1000"),
    await send(engine, "GET", "/api/v1/runs?limit=100"),
    await send(engine, "GET", "/api/v1/circuit-breakers"),
    await send(engine, "GET", "/api/v1/dead-letters?env=default"),
    await send(engine, "GET", "/api/v1/events"),
    await send(engine, "GET", "/api/v1/functions"),
    ...(await Promise.all(
      runs.flatMap((id) =>
        ["", "/steps", "/attempts", "/audit"].map((part) => send(engine, "GET", `/api/v1/runs/${id}${part}`)),
      ),
    )),
  ];
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    for (const form of [plain, asJson, second]) expect(text).not.toContain(form);
  }
  expect(answers.map(({ text }) => text).join("\n")).toContain("***");
  expect(answers.map(({ text }) => text).join("\n")).toContain("saw ***");
  await engine.end("SIGKILL");
  echo.close();
  for (const form of [plain, asJson, second, "hunter2"]) {
    expect(await filesWith(engine.dataDir, form)).toEqual([]);
    expect(engine.stderr() + engine.stdout()).not.toContain(form);
  }
});

it("moves secrets under the application's key, and says which it cannot open any more", async () => {
  const first = await factory.start();
  const { dataDir } = first;
  await send(first, "POST", "/api/v1/secrets", { name: "KEPT", value: second });
  await first.ask("RegisterFunction", {
    id: "fine",
    endpointUrl: functions.endpoint("fine"),
    triggers: [{ event: "fine" }],
    secrets: ["KEPT"],
    retry: { maxAttempts: 1 },
  });
  await first.end("SIGTERM");

  const given = { IRONFLOW_MASTER_KEY: randomBytes(32).toString("base64") };
  await (await factory.start({ dataDir, env: given })).end("SIGTERM");
  await rm(join(dataDir, SECRETS_KEY_FILE));
  const moved = await factory.start({ dataDir, env: given });
  await runOnce(moved, "fine", /COMPLETED/);
  expect(functions.received.at(-1)?.body).toContain(`"secrets":{"KEPT":"${second}"}`);
  expect((await moved.rest("/health")).body).not.toHaveProperty("warnings");
  await moved.end("SIGTERM");

  const other = await factory.start({ dataDir });
  expect((await other.rest("/health")).body["warnings"]).toEqual([
    expect.stringMatching(/have to be set again/),
  ]);
  const run = await runOnce(other, "fine", /PAUSED/);
  expect(await other.ask("GetRun", { id: run })).toMatchObject({
    error: { code: "SECRET_UNAVAILABLE", message: "secret KEPT cannot be read with this engine's key" },
  });
  expect((await send(other, "PUT", "/api/v1/secrets/KEPT", { value: "set again" })).status).toBe(200);
  await other.ask("ResumeRun", { runId: run });
  await poll("the resumed run", async () => (await runStatus(other, run)) === "RUN_STATUS_COMPLETED");
  expect((await other.rest("/health")).body).not.toHaveProperty("warnings");
  await other.end("SIGTERM");
});

it("does not start with a damaged key file, says so in one line and leaves the file alone", async () => {
  const dataDir = await factory.newDataDir();
  await writeFile(join(dataDir, SECRETS_KEY_FILE), "{}", { mode: 0o600 });
  await expect(factory.start({ dataDir })).rejects.toThrow(
    /engine: the secrets key file .* is damaged: put a copy of it back/,
  );
  expect(await readFile(join(dataDir, SECRETS_KEY_FILE), "utf8")).toBe("{}");
});
