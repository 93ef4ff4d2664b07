import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createEngineFactory, type EngineFactory } from "./testing/engine-process.ts";

let factory: EngineFactory;
let folder: string;

beforeAll(async () => {
  factory = await createEngineFactory();
  folder = await mkdtemp(join(tmpdir(), "engine-open-"));
});
afterAll(async () => {
  await factory.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it.skipIf(process.platform === "win32")(
  "keeps other users from what it stores, also in a folder that they may read",
  async () => {
    await chmod(folder, 0o755);
    const engine = await factory.start({ dataDir: folder, flags: [] });
    await engine.ask("Emit", { event: "secret", data: { a: 1 } });
    const files = await readdir(folder);
    expect(files).toContain("engine.db");
    const modes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).mode & 0o077));
    expect(modes).toEqual(files.map(() => 0));
    await engine.endStdin();
  },
);

it.skipIf(process.platform !== "linux")(
  "names a folder that it cannot use, says why and what to do, and does not try for ever",
  async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    for (const [dataDir, why] of [
      ["/proc/x/deep", "there is no such place"],
      ["/proc", "there is no such place"],
      [file, "a file is in its way"],
      [join(file, "below"), "a part of the path is a file"],
    ] as const) {
      await expect(factory.start({ dataDir })).rejects.toThrow(
        `engine: the data folder ${dataDir} cannot be used (${why}); choose a folder that can be written with --data-dir=DIR`,
      );
    }
  },
);
