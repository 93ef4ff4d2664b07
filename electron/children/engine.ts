import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/v4";
import { makeFolder } from "../../loopback/make-folder.mjs";
import { systemReason } from "../../loopback/system-reason.ts";
import { startNodeChild, type NodeChildOptions } from "./node-child.ts";
import type { KeyStore } from "../engines/key-store.ts";
import { secretsKey } from "./secrets-key.ts";
import type { Running } from "./supervisor.ts";

/** The embedded engine as it runs: where it listens, and the key of its one administrator (a secret). */
export interface EmbeddedEngine {
  readonly url: string;
  readonly apiKey: string;
}

/** SDKs look for an engine here. */
export const ENGINE_PORT = 9123;
/** It may have to recover a journal first. */
const READY_WITHIN_MS = 60_000;
const KEY_FILE = ".ironflow_bootstrap_key.json";

const Ready = z.object({ url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }) });
const Key = z.object({ key: z.string().min(1).max(512) });

export type EngineOptions = Pick<NodeChildOptions, "entry" | "session" | "records"> & {
  readonly dataDir: string;
  /** Tried in this order; 0 means any free one. */
  readonly ports: readonly number[];
  /** Keeps the key of the engine's secrets, where it can. */
  readonly keyStore: KeyStore;
};

/** Starts the embedded engine and reads its key once it is ready. @throws Error with a sentence */
export async function startEngine(
  options: EngineOptions,
  signal: AbortSignal,
): Promise<Running<EmbeddedEngine>> {
  makeDataDir(options.dataDir);
  const key = secretsKey(options.dataDir, options.keyStore);
  const child = await startNodeChild(
    {
      name: "engine",
      entry: options.entry,
      args: [`--port=${options.ports.join(",")}`, `--data-dir=${options.dataDir}`, "--exit-with-stdin"],
      env: key === undefined ? {} : { IRONFLOW_MASTER_KEY: key },
      session: options.session,
      cwd: options.dataDir,
      records: options.records,
      readyWithinMs: READY_WITHIN_MS,
    },
    signal,
  );
  try {
    const { url } = Ready.parse(child.ready);
    const { key: apiKey } = Key.parse(JSON.parse(readFileSync(join(options.dataDir, KEY_FILE), "utf8")));
    return { value: { url, apiKey }, ended: child.ended, stop: child.stop };
  } catch (cause) {
    await child.stop();
    throw new Error("The engine started, but its address or its key could not be read.", { cause });
  }
}

function makeDataDir(folder: string): void {
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    throw new Error(
      `The engine's folder ${folder} cannot be made (${systemReason(cause)}); move away what is there and restart the connection.`,
      { cause },
    );
  }
}
