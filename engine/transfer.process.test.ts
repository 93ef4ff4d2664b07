import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../loopback/testing/bundle.ts";
import { poll } from "../loopback/testing/poll.ts";
import { createEngineFactory, type EngineFactory, type EngineProcess } from "./testing/engine-process.ts";

let factory: EngineFactory;
let bundle: Bundle;

beforeAll(async () => {
  bundle = await bundleEntry(new URL("./main.ts", import.meta.url), {
    "engine-sql": new URL("./sql/main.ts", import.meta.url),
  });
  factory = await createEngineFactory(bundle.file);
});

afterAll(async () => {
  await factory.close();
  await bundle.remove();
});

/** Runs `export` or `import`, as `npm run engine --` does. */
async function transfer(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [bundle.file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString("utf8")));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

const publish = async (engine: EngineProcess, n: number) => {
  const answer = await fetch(`${engine.url}/ironflow.v1.PubSubService/Publish`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ topic: "t", data: { n } }),
  });
  return ((await answer.json()) as { eventId: string }).eventId;
};

it("takes an environment from one folder to another with its ids", async () => {
  const engine = await factory.start();
  await engine.ask("RegisterFunction", {
    id: "f",
    triggers: [{ event: "go" }],
    endpointUrl: "http://127.0.0.1:9/",
  });
  const { eventId, runIds } = await engine.ask("Emit", { event: "go", data: { n: 12345678901234 } });
  const file = join(await factory.newDataDir(), "all.jsonl");
  const from = `--data-dir=${engine.dataDir}`;
  expect(await transfer("export", from, `--file=${file}`)).toMatchObject({
    code: 1,
    stderr: `engine: an engine is running in ${engine.dataDir}; stop it first\n`,
  });
  expect(existsSync(file)).toBe(false);
  await engine.end("SIGTERM");
  expect(await transfer("export", from, `--file=${file}`)).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await transfer("export", from, `--file=${file}`)).stderr).toBe(
    `engine: ${file} is there already; name another file with --file=FILE\n`,
  );

  const other = await factory.newDataDir();
  const imported = await transfer("import", `--data-dir=${other}`, `--file=${file}`);
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(imported.stdout)).toMatchObject({
    environment: "default",
    heldRuns: 1,
    rows: { runs: 1 },
  });
  const again = await factory.start({ dataDir: other });
  const run = await again.ask("GetRun", { id: (runIds as string[])[0] });
  expect(run).toMatchObject({ eventId, status: "RUN_STATUS_PAUSED", input: { n: 12345678901234 } });
});

it("names what is wrong with its folder and its file in one line, and leaves nothing behind", async () => {
  const folder = await factory.newDataDir();
  const file = join(folder, "bad.jsonl");
  writeFileSync(file, "{}\n");
  const engine = await factory.start();
  await engine.end("SIGTERM");
  const used = engine.dataDir;
  const before = { folder: readdirSync(folder), used: readdirSync(used) };
  const none = join(folder, "none", "deep");
  for (const [args, message] of [
    [
      ["export", `--data-dir=${none}`, `--file=${file}x`],
      /^engine: there is no engine in .*deep; name its folder/,
    ],
    [["export", `--data-dir=${folder}`, `--file=${file}x`], /^engine: there is no engine in /],
    [
      ["export", `--data-dir=${used}`, "--env=other", `--file=${file}x`],
      /^engine: there is no environment other\n$/,
    ],
    [
      ["export", `--data-dir=${used}`, `--file=${file}/x`],
      /cannot be written \(a part of the path is a file\)/,
    ],
    [["import", `--data-dir=${none}`, `--file=${file}`], /^engine: line 1: format: .*\n$/],
    [["import", `--data-dir=${folder}`, `--file=${file}`], /^engine: line 1: format: .*\n$/],
    [["import", `--data-dir=${used}`, `--file=${file}`], /^engine: line 1: format: .*\n$/],
    [
      ["import", `--data-dir=${none}`, `--file=${file}x`],
      /x cannot be read \(there is no such place\); name an export/,
    ],
    [["import", `--data-dir=${none}`, `--file=${folder}`], /cannot be read \(a folder is in its place\)/],
    [
      ["import", `--data-dir=${file}`, `--file=${file}`],
      /the data folder .* cannot be used \(a file is in its way\)/,
    ],
  ] as const) {
    const { code, stderr } = await transfer(...args);
    expect([args, code]).toEqual([args, 1]);
    expect(stderr).toMatch(message);
    expect([args, { folder: readdirSync(folder), used: readdirSync(used) }]).toEqual([args, before]);
  }
});

it("has every acknowledged message after it was killed, and an import that was killed left nothing", async () => {
  let engine = await factory.start();
  const acknowledged = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const sender = Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let n = 0; n < 200; n += 1) {
          const id = await publish(engine, worker * 1000 + n).catch(() => undefined);
          if (id === undefined) return;
          acknowledged.add(id);
        }
      }),
    );
    await poll("some messages", () => acknowledged.size > (round + 1) * 100);
    await engine.end("SIGKILL");
    await sender;
    engine = await factory.start({ dataDir: engine.dataDir });
  }
  const { body } = await engine.rest("/api/v1/sql", {
    query: "select id from topic_messages",
    max_rows: 10_000,
  });
  const stored = new Set((body["rows"] as string[][]).map(([id]) => id));
  expect(acknowledged.size).toBeGreaterThan(300);
  expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  await engine.end("SIGTERM");

  const file = join(await factory.newDataDir(), "all.jsonl");
  expect(await transfer("export", `--data-dir=${engine.dataDir}`, `--file=${file}`)).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(readFileSync(file, "utf8").split("\n").length).toBeGreaterThan(stored.size);
  const target = await factory.newDataDir();
  const child = spawn(process.execPath, [bundle.file, "import", `--data-dir=${target}`, `--file=${file}`]);
  const gone = once(child, "exit");
  await poll("the import to have begun", () => existsSync(join(target, "engine.db")));
  child.kill("SIGKILL");
  await gone;
  const after = await factory.start({ dataDir: target });
  const counted = await after.rest("/api/v1/sql", { query: "select count(*) from topic_messages" });
  expect(["0", String(stored.size)]).toContain((counted.body["rows"] as string[][])[0]?.[0]);
});

it.each([
  [["export"], "--data-dir: is required"],
  [["import", "--data-dir=x"], "--file: is required"],
  [["export", "--fiel=x"], "--fiel: there is no such flag (did you mean --file?)"],
  [["export", "--data-dir=x", "--file=x", "--env="], "--env: must not be empty"],
])("%j is refused with exit code 2 before anything is touched", async (args, words) => {
  const { code, stdout, stderr } = await transfer(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(words);
  expect(stderr).toContain("--help lists the options");
  expect(existsSync("x")).toBe(false);
});

it("export --help and import --help print the options", async () => {
  for (const command of ["export", "import"]) {
    const { code, stdout } = await transfer(command, "--help");
    expect(code).toBe(0);
    expect(stdout).toContain(`npm run engine -- ${command}`);
  }
});
