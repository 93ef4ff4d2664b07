import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod/v4";

export interface EngineProcess {
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

/** The engine alone, as `npm run engine` starts it. */
export async function startEngine(folder: string, port: number): Promise<EngineProcess> {
  const entry = resolve(import.meta.dirname, "../dist/engine.cjs");
  const child = spawn(process.execPath, [entry, `--port=${port}`, `--data-dir=${folder}`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const lines = createInterface({ input: child.stdout });
  const ready = await Promise.race([
    new Promise<string>((done) => lines.once("line", done)),
    exited.then(() => {
      throw new Error("the engine ended before it was ready");
    }),
  ]);
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(ready.replace(/^ready /, "")));
  const file = await readFile(join(folder, ".ironflow_bootstrap_key.json"), "utf8");
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(file));
  return {
    url,
    key,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
