import { startNodeChild, type NodeChildOptions } from "./node-child.ts";
import type { EmbeddedEngine } from "./engine.ts";
import type { Running } from "./supervisor.ts";

const READY_WITHIN_MS = 30_000;

export type DemoOptions = Pick<NodeChildOptions, "entry" | "session" | "records" | "cwd"> & {
  readonly engine: EmbeddedEngine;
};

/** Starts the sample application against the embedded engine. It gets the engine's key, as any application would. */
export async function startDemo(options: DemoOptions, signal: AbortSignal): Promise<Running<undefined>> {
  const child = await startNodeChild(
    {
      name: "demo",
      entry: options.entry,
      args: ["--exit-with-stdin"],
      env: { IRONFLOW_SERVER_URL: options.engine.url, IRONFLOW_API_KEY: options.engine.apiKey },
      session: options.session,
      cwd: options.cwd,
      records: options.records,
      readyWithinMs: READY_WITHIN_MS,
    },
    signal,
  );
  return { value: undefined, ended: child.ended, stop: child.stop };
}
