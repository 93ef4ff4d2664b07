import { startNodeChild, type NodeChildOptions } from "./node-child.ts";
import { systemClock } from "../../loopback/clock.ts";
import type { EngineLink } from "../hub/engine-link.ts";
import { logError } from "../log.ts";
import type { EmbeddedEngine } from "./engine.ts";
import { supervise, type Running, type Supervised } from "./supervisor.ts";

const READY_WITHIN_MS = 30_000;

type DemoOptions = Pick<NodeChildOptions, "entry" | "session" | "records" | "cwd">;

/** Keeps the sample application running, from the moment the engine of this connection runs. */
export function superviseDemo(options: DemoOptions & { readonly link: EngineLink }): Supervised<undefined> {
  return supervise({
    start: async (signal) => startDemo(options, await options.link.engine(signal), signal),
    onState: (state) => {
      if (state.name === "crashed") logError("demo", state.problem);
    },
    clock: systemClock,
  });
}

/** Starts the sample application against the embedded engine. It gets the engine's key, as any application would. */
async function startDemo(
  options: DemoOptions,
  engine: EmbeddedEngine,
  signal: AbortSignal,
): Promise<Running<undefined>> {
  const child = await startNodeChild(
    {
      name: "demo",
      entry: options.entry,
      args: [],
      readyWord: "demo ready",
      env: { IRONFLOW_SERVER_URL: engine.url, IRONFLOW_API_KEY: engine.apiKey },
      session: options.session,
      cwd: options.cwd,
      records: options.records,
      readyWithinMs: READY_WITHIN_MS,
    },
    signal,
  );
  return { value: undefined, ended: child.ended, stop: child.stop };
}
