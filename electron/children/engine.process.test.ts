import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startEngine } from "./engine.ts";
import { startNodeChild } from "./node-child.ts";
import type { KeyStore } from "../engines/key-store.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-engine-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Says what it was given, as an engine would say where it listens. */
const FIXTURE = `
  const { writeFileSync } = require("node:fs");
  const { basename } = require("node:path");
  process.stdin.resume(); process.stdin.on("end", () => process.exit(0));
  const said = { env: process.env, argv: process.argv };
  writeFileSync(basename(__filename) + ".json", JSON.stringify(said));
  writeFileSync(".ironflow_bootstrap_key.json", JSON.stringify({ key: "ifkey_test" }));
  console.log('ready {"url":"http://127.0.0.1:1"}');
`;

const records = { started: () => {}, ended: () => {} };
/** Turns every byte round: enough to tell what lies on the disk from what the engine gets. */
const turn = (bytes: Buffer) => Buffer.from(bytes.map((byte) => 255 - byte));
const keyStore: KeyStore = {
  keeps: true,
  seal: (secret) => turn(Buffer.from(secret, "utf8")).toString("base64"),
  open: (sealed) => turn(Buffer.from(sealed, "base64")).toString("utf8"),
};

async function given(entry: string): Promise<{ env: Record<string, string>; argv: string[] }> {
  return JSON.parse(readFileSync(join(folder, "data", `${entry}.json`), "utf8")) as {
    env: Record<string, string>;
    argv: string[];
  };
}

it("gives the engine the key of its secrets by its environment only, the same at every start, and nobody else", async () => {
  const signal = new AbortController().signal;
  const options = { session: "12345678-test", records };
  for (const name of ["engine.cjs", "other.cjs"]) writeFileSync(join(folder, name), FIXTURE);
  const keys: unknown[] = [];
  for (let start = 0; start < 2; start += 1) {
    const engine = await startEngine(
      { ...options, entry: join(folder, "engine.cjs"), dataDir: join(folder, "data"), ports: [0], keyStore },
      signal,
    );
    const other = await startNodeChild(
      {
        ...options,
        name: "other",
        entry: join(folder, "other.cjs"),
        args: [],
        env: {},
        cwd: join(folder, "data"),
        readyWithinMs: 20_000,
      },
      signal,
    );
    await Promise.all([engine.stop(), other.stop()]);
    const said = await given("engine.cjs");
    const key = said.env["IRONFLOW_MASTER_KEY"] ?? "";
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(said.argv.join(" ")).not.toContain(key);
    expect(JSON.stringify(await given("other.cjs"))).not.toContain(key);
    expect(process.env).not.toHaveProperty("IRONFLOW_MASTER_KEY");
    keys.push(key);
  }
  expect(keys[0]).toBe(keys[1]);
});

it("does not start the engine when the key store does not give the key back", async () => {
  writeFileSync(join(folder, "engine.cjs"), FIXTURE);
  const options = {
    session: "12345678-test",
    records,
    entry: join(folder, "engine.cjs"),
    dataDir: join(folder, "data"),
    ports: [0],
  };
  const signal = new AbortController().signal;
  await (await startEngine({ ...options, keyStore }, signal)).stop();
  rmSync(join(folder, "data", "engine.cjs.json"));
  const lost = { ...keyStore, keeps: false };
  await expect(startEngine({ ...options, keyStore: lost }, signal)).rejects.toThrow(
    /^The engine's secrets are under a key in the system's key store, and there is no key store now\. /,
  );
  await expect(given("engine.cjs")).rejects.toThrow(/ENOENT/);
});
