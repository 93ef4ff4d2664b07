import type { EngineTest } from "../contract/engines.ts";
import type { Running } from "../children/supervisor.ts";
import type { ToolServerTarget } from "../children/tool-server.ts";
import { followEngine, type LiveSession } from "../hub/live-updates.ts";
import type { EngineConnection } from "../../mcp/contract/live.ts";
import type { Clock } from "../../loopback/clock.ts";

/** How long an engine has to answer, in ms; starting the tool server counts. */
export const TEST_WITHIN_MS = 20_000;

export interface TestParts {
  startTools(target: ToolServerTarget, signal: AbortSignal): Promise<Running<LiveSession>>;
  readonly clock: Clock;
  readonly now: () => Date;
}

/**
 * Asks an engine for itself as a connection to it would: through a tool server of its own, which can only read and ends
 * with the test. Never rejects.
 */
export async function testEngine(
  parts: TestParts,
  engine: { readonly url: string; readonly apiKey: string | undefined },
  signal: AbortSignal,
): Promise<EngineTest> {
  const begunMs = parts.clock.nowMs();
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const tested = (test: Omit<EngineTest, "ms">): EngineTest => ({
    ...test,
    ms: Math.round(parts.clock.nowMs() - begunMs),
  });
  const late = parts.clock
    .sleep(TEST_WITHIN_MS, stop)
    .then(() => ({ state: "unreachable", problem: NO_ANSWER }) as const);
  let tools: Running<LiveSession> | undefined;
  try {
    const target = { ...engine, allowWrites: false, bridge: undefined };
    tools = await parts.startTools(target, stop);
    const { value: session } = tools;
    const seen = new Promise<EngineConnection>((resolve, reject) => {
      followEngine(session, {
        url: engine.url,
        clock: parts.clock,
        now: parts.now,
        ended: stop,
        onChanged: () => {},
        onEngine: (news) => {
          if (news.state !== "connecting") resolve(news);
        },
      }).catch(reject);
    });
    const first = await Promise.race([seen, late]);
    if (!("live" in first)) return tested(first);
    return tested({
      state: first.state === "connecting" ? "starting" : first.state,
      ...(first.version === undefined ? {} : { engine_version: first.version }),
      ...(first.error === undefined ? {} : { problem: first.error }),
    });
  } catch (cause) {
    return tested({ state: "crashed", problem: cause instanceof Error ? cause.message : String(cause) });
  } finally {
    over.abort();
    await tools?.stop();
  }
}

const NO_ANSWER = `It did not answer within ${TEST_WITHIN_MS / 1_000} s.`;
