import type { McpSession } from "../../mcp/client/session.ts";
import { CONNECTION_URI, EngineConnection, LiveTopic, liveUri } from "../../mcp/contract/live.ts";

/** What is used of a session here, so that a test can stand in for it. */
export type LiveSession = Pick<McpSession, "onResourceUpdated" | "readText">;

export interface LiveListeners {
  /** Rows of this topic have changed: read them again. */
  readonly onChanged: (topic: LiveTopic) => void;
  readonly onEngine: (engine: EngineConnection) => void;
}

/**
 * Listens to everything a tool server has to tell: what changed in the engine, and whether it still answers.
 * Listening ends with the session.
 * @throws CallError when the server does not let itself be listened to
 */
export async function listenLive(session: LiveSession, listeners: LiveListeners): Promise<void> {
  let reading: Promise<void> | undefined;
  let again = false;

  /** One read at a time; news during a read means one more. */
  async function readEngine(): Promise<void> {
    do {
      again = false;
      listeners.onEngine(EngineConnection.parse(JSON.parse(await session.readText(CONNECTION_URI))));
    } while (again);
  }
  const refresh = () => {
    if (reading !== undefined) again = true;
    else reading = readEngine().finally(() => (reading = undefined));
    return reading ?? Promise.resolve();
  };

  await session.onResourceUpdated(CONNECTION_URI, () => {
    refresh().catch(() => {
      // The session has ended: the supervisor tells, and what was seen last counts no more.
    });
  });
  for (const topic of LiveTopic.options) {
    await session.onResourceUpdated(liveUri(topic), () => listeners.onChanged(topic));
  }
  await refresh();
}
