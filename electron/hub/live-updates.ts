import { CallError, type McpSession } from "../../mcp/client/session.ts";
import { ToolError } from "../../mcp/contract/errors.ts";
import { CONNECTION_URI, EngineConnection, LiveTopic, liveUri } from "../../mcp/contract/live.ts";
import type { Clock } from "../../loopback/clock.ts";
import { toOutcome } from "../mcp-endpoint/tool-result.ts";

/** What is used of a session here, so that a test can stand in for it. */
export type LiveSession = Pick<McpSession, "onResourceUpdated" | "readText" | "callTool">;

export interface LiveListeners {
  /** Rows of this topic may have changed: read them again. */
  readonly onChanged: (topic: LiveTopic) => void;
  readonly onEngine: (engine: EngineConnection) => void;
}

export interface LiveOptions extends LiveListeners {
  /** Of the engine, as the tool server was told it. */
  readonly url: string;
  readonly clock: Clock;
  readonly now: () => Date;
  /** Aborts when the session is over. */
  readonly ended: AbortSignal;
}

/** How often a tool server that tells no news is asked, in ms. */
export const POLL_MS = 2_000;

/**
 * Hears of everything that changes behind a tool server, until its session ends: by what it tells, or, from one that tells
 * nothing (the engine's own tool server), by asking it again and again.
 */
export async function followEngine(session: LiveSession, options: LiveOptions): Promise<void> {
  try {
    await listen(session, options);
  } catch (cause) {
    if (!(cause instanceof CallError) || cause.problem !== "refused") throw cause;
    await poll(session, options);
  }
}

/** @throws CallError `refused` when the server does not let itself be listened to */
async function listen(session: LiveSession, listeners: LiveListeners): Promise<void> {
  let reading: Promise<void> | undefined;
  let again = false;

  /** One read at a time; news during a read means one more. */
  async function readEngine(): Promise<void> {
    do {
      again = false;
      listeners.onEngine(EngineConnection.parse(JSON.parse(await session.readText(CONNECTION_URI))));
    } while (again);
  }
  function refresh(): Promise<void> {
    if (reading === undefined) reading = readEngine().finally(() => (reading = undefined));
    else again = true;
    return reading;
  }

  await session.onResourceUpdated(CONNECTION_URI, () => {
    refresh().catch(() => {
      // The session has ended: its supervisor tells, and what was seen last counts no more.
    });
  });
  for (const topic of LiveTopic.options) {
    await session.onResourceUpdated(liveUri(topic), () => listeners.onChanged(topic));
  }
  await refresh();
}

async function poll(session: LiveSession, options: LiveOptions): Promise<void> {
  let last = "";
  let since = options.now().toISOString();
  while (!options.ended.aborted) {
    const seen = await askEngine(session);
    if (seen.state !== last) since = options.now().toISOString();
    last = seen.state;
    options.onEngine({ ...seen, live: "polling", url: options.url, since });
    if (seen.state === "connected") for (const topic of LiveTopic.options) options.onChanged(topic);
    await options.clock.sleep(POLL_MS, options.ended);
  }
}

async function askEngine(session: LiveSession): Promise<Pick<EngineConnection, "state" | "error">> {
  const outcome = toOutcome(await session.callTool("ironflow_server_info", {}));
  if (outcome.ok) return { state: "connected" };
  const { error, code } = ToolError.parse(outcome.error);
  return { state: code === "unauthenticated" ? "unauthorized" : "unreachable", error };
}
