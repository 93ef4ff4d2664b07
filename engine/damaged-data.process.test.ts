import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOTSTRAP_KEY_FILE } from "./bootstrap-key.ts";
import { createEngineFactory, type EngineFactory } from "./testing/engine-process.ts";

let factory: EngineFactory;
beforeAll(async () => {
  factory = await createEngineFactory();
});
afterAll(() => factory.close());

/** A folder that an engine has used. */
async function usedFolder(): Promise<string> {
  const engine = await factory.start();
  await engine.end("SIGTERM");
  return engine.dataDir;
}

const garbage = Buffer.alloc(9_000, "no database");

describe("an engine whose data is damaged", () => {
  it("names the database and what to do, and leaves it as it is", async () => {
    const dataDir = await usedFolder();
    const file = join(dataDir, "engine.db");
    await writeFile(file, garbage);
    await expect(factory.start({ dataDir })).rejects.toThrow(
      `the database ${file} cannot be used (file is not a database); put a copy of it back, or move it away`,
    );
    expect((await readFile(file)).equals(garbage)).toBe(true);
  });

  it("names a database that is a folder", async () => {
    const dataDir = await factory.newDataDir();
    await mkdir(join(dataDir, "engine.db"));
    await expect(factory.start({ dataDir })).rejects.toThrow(
      `the database ${join(dataDir, "engine.db")} cannot`,
    );
  });

  it("names a database of a newer engine, and does not touch it", async () => {
    const dataDir = await usedFolder();
    const file = join(dataDir, "engine.db");
    const db = new DatabaseSync(file);
    db.exec("pragma user_version = 999");
    db.close();
    await expect(factory.start({ dataDir })).rejects.toThrow(
      /engine\.db cannot be used .*use a newer engine/,
    );
  });

  it("does not take a damaged lock for another engine", async () => {
    const dataDir = await usedFolder();
    const file = join(dataDir, "engine.lock");
    await writeFile(file, garbage);
    await expect(factory.start({ dataDir })).rejects.toThrow(`the lock file ${file} cannot be used`);
    await rm(file);
    const engine = await factory.start({ dataDir });
    await expect(factory.start({ dataDir })).rejects.toThrow(`another engine is running in ${dataDir}`);
    await engine.end("SIGTERM");
  });

  it.each(["lost", "damaged", "of another database"])(
    "makes a new key when the key's file is %s, and the old one goes on working",
    async (how) => {
      const first = await factory.start({ flags: [] });
      const { dataDir, key } = first;
      await first.end("SIGTERM");
      const file = join(dataDir, BOOTSTRAP_KEY_FILE);
      await chmod(file, 0o600);
      if (how === "lost") await rm(file);
      else await writeFile(file, how === "damaged" ? "{{{" : JSON.stringify({ key: "ifkey_other" }));
      const second = await factory.start({ dataDir, flags: [] });
      expect(second.key).not.toBe(key);
      for (const one of [second.key, key]) {
        const answer = await fetch(`${second.url}/api/v1/events?limit=1`, {
          headers: { authorization: `Bearer ${one}` },
        });
        expect(answer.status).toBe(200);
      }
      await second.end("SIGTERM");
    },
  );
});
