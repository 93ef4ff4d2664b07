import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/v4";
import { ownProcessEnv } from "../../loopback/environment.ts";
import { launch } from "../../loopback/launch.ts";
import { stopChild } from "../../loopback/stop-ladder.ts";
import { bundleEntry } from "../../loopback/testing/bundle.ts";

export type RealEngine = {
  readonly url: string;
  readonly apiKey: string;
  /** Registers a push function that answers what `answer` returns. */
  register(id: string, event: string, answer: (body: PushBody) => unknown): Promise<void>;
  /** As `register`, for a function that somebody else serves at `endpointUrl`. */
  registerAt(id: string, event: string, endpointUrl: string): Promise<void>;
  stop(): Promise<void>;
};

type PushBody = { readonly run_id: string; readonly event: { readonly data: unknown } };

const Ready = z.object({ url: z.string() });
const BootstrapKey = z.object({ key: z.string() });

/**
 * The embedded engine as its own process, with keys on and a push endpoint in the test; `env` is its own beside ours.
 * @param prepare is given the data folder before the engine starts in it
 */
export async function startRealEngine(
  env: Readonly<Record<string, string>> = {},
  prepare: (dataDir: string) => Promise<void> = async () => {},
): Promise<RealEngine> {
  const bundle = await bundleEntry(new URL("../../engine/main.ts", import.meta.url), {
    "engine-sql": new URL("../../engine/sql/main.ts", import.meta.url),
  });
  const folder = mkdtempSync(join(tmpdir(), "ironbridge-engine-"));
  await prepare(folder);
  const child = launch({
    command: process.execPath,
    args: [bundle.file, "--port", "0", "--data-dir", folder],
    cwd: folder,
    env: ownProcessEnv({ extra: env }),
  });
  const { url } = Ready.parse(await readyLine(child));
  const keyFile = join(folder, ".ironflow_bootstrap_key.json");
  const { key } = BootstrapKey.parse(JSON.parse(readFileSync(keyFile, "utf8")));
  const endpoint = await pushEndpoint();
  const registerAt = async (id: string, event: string, endpointUrl: string) => {
    const response = await fetch(`${url}/ironflow.v1.IronflowService/RegisterFunction`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        id,
        triggers: [{ event }],
        endpointUrl,
        preferredMode: "push",
        retry: { maxAttempts: 1 },
      }),
    });
    if (!response.ok) throw new Error(`register ${id}: ${await response.text()}`);
  };
  return {
    url,
    apiKey: key,
    registerAt,
    register: (id, event, answer) => {
      endpoint.answers.set(id, answer);
      return registerAt(id, event, `${endpoint.url}/${id}`);
    },
    stop: async () => {
      await stopChild(child);
      endpoint.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      await bundle.remove();
    },
  };
}

async function readyLine(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  let text = "";
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000);
  });
  const exited = once(child, "exit").then(() => {
    throw new Error(`the engine ended: ${errors}`);
  });
  for (;;) {
    const [chunk] = (await Promise.race([once(child.stdout, "data"), exited])) as [Buffer];
    text += chunk.toString();
    const line = /^ready (.*)$/m.exec(text)?.[1];
    if (line !== undefined) {
      exited.catch(() => {
        // From here on the test stops it.
      });
      return JSON.parse(line);
    }
  }
}

async function pushEndpoint() {
  const answers = new Map<string, (body: PushBody) => unknown>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answers.get((request.url ?? "").slice(1));
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer?.(JSON.parse(Buffer.concat(chunks).toString()) as PushBody) ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    answers,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
