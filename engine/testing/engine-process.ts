import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import { BOOTSTRAP_KEY_FILE } from "../bootstrap-key.ts";

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** A real engine in a process of its own. */
export interface EngineProcess {
  url: string;
  pid: number;
  dataDir: string;
  /** Everything the process wrote to stdout and stderr. */
  stdout(): string;
  stderr(): string;
  /** The bootstrap key; "" with `--dev`. */
  key: string;
  /** A Connect call: `Emit`, or `EntityStreamService/AppendEvent` of another service. */
  connect(method: string, message: unknown): Promise<Answer>;
  /** A REST call; a body makes it a POST. */
  rest(path: string, body?: unknown): Promise<Answer>;
  /** `connect`, and an error when the answer is not 200. */
  ask(method: string, message: unknown): Promise<Record<string, unknown>>;
  /** Ends the process with this signal and waits until it is gone. Its exit code, null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Closes stdin and waits until the process is gone. */
  endStdin(): Promise<number | null>;
}

/** Builds the engine once and starts it in folders of its own; `close` removes all of it. */
export interface EngineFactory {
  start(options?: {
    dataDir?: string;
    flags?: string[];
    env?: Record<string, string>;
  }): Promise<EngineProcess>;
  /** Starts one and ends it with SIGKILL after `afterMs`, ready or not. */
  startAndKill(dataDir: string, afterMs: number, flags?: string[]): Promise<void>;
  newDataDir(): Promise<string>;
  close(): Promise<void>;
}

/** @param engineFile a bundle of the engine that is there already; it is left where it is */
export async function createEngineFactory(engineFile?: string): Promise<EngineFactory> {
  const bundle: Bundle =
    engineFile === undefined
      ? await bundleEntry(new URL("../main.ts", import.meta.url), {
          "engine-sql": new URL("../sql/main.ts", import.meta.url),
        })
      : { file: engineFile, remove: async () => {} };
  const folders: string[] = [];
  const children = new Set<ChildProcess>();

  async function newDataDir(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "engine-"));
    folders.push(folder);
    return folder;
  }

  function spawnEngine(dataDir: string, flags: string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(
      process.execPath,
      [bundle.file, "--port=0", `--data-dir=${dataDir}`, "--exit-with-stdin", ...flags],
      { stdio: ["pipe", "pipe", "pipe"], env: { PATH: process.env["PATH"] ?? "", ...env } },
    );
    children.add(child);
    child.once("exit", () => children.delete(child));
    return child;
  }

  return {
    newDataDir,
    start: async (options = {}) => {
      const dataDir = options.dataDir ?? (await newDataDir());
      const flags = options.flags ?? ["--dev"];
      return attach(spawnEngine(dataDir, flags, options.env), dataDir, flags.includes("--dev"));
    },
    startAndKill: async (dataDir, afterMs, flags = ["--dev"]) => {
      const child = spawnEngine(dataDir, flags);
      const gone = once(child, "exit");
      await sleep(afterMs);
      child.kill("SIGKILL");
      await gone;
    },
    close: async () => {
      for (const child of children) {
        if (child.exitCode === null && child.signalCode === null) {
          const gone = once(child, "exit");
          child.kill("SIGKILL");
          await gone;
        }
      }
      for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      await bundle.remove();
    },
  };
}

async function attach(child: ChildProcess, dataDir: string, dev: boolean): Promise<EngineProcess> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  child.stderr?.on("data", (part: Buffer) => (stderr += part.toString("utf8")));
  const gone = once(child, "exit");
  const line = await poll("the engine's ready line", () => {
    if (child.exitCode !== null) throw new Error(`the engine ended with ${child.exitCode}: ${stderr}`);
    return /^ready (\{.*\})$/m.exec(stdout)?.[1];
  });
  const { url } = JSON.parse(line) as { url: string };
  const key = dev ? "" : await readKey(dataDir);
  const send = async (path: string, body: unknown): Promise<Answer> => {
    const response = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const connect = (method: string, message: unknown) =>
    send(`/ironflow.v1.${method.includes("/") ? method : `IronflowService/${method}`}`, message);
  return {
    url,
    pid: child.pid ?? 0,
    dataDir,
    key,
    stdout: () => stdout,
    stderr: () => stderr,
    connect,
    rest: send,
    ask: async (method, message) => {
      const answer = await connect(method, message);
      if (answer.status !== 200)
        throw new Error(`${method}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    end: async (signal) => {
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
    endStdin: async () => {
      child.stdin?.end();
      await gone;
      return child.exitCode;
    },
  };
}

async function readKey(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, BOOTSTRAP_KEY_FILE), "utf8");
  return (JSON.parse(text) as { key: string }).key;
}
