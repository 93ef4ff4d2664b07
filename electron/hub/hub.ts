import type { CallToolResult } from "@modelcontextprotocol/server";
import { APPLICATION_TIMES } from "../../mcp/contract/application-tools.ts";
import type { LiveTopic } from "../../mcp/contract/live.ts";
import { toolByName, type ToolName } from "../../mcp/contract/tools.ts";
import { CallError, type CallOptions } from "../../mcp/client/session.ts";
import type { Connection } from "../contract/connection.ts";
import { errorResult } from "../mcp-endpoint/tool-result.ts";
import { callFailure, notRunning, tooMany } from "./call-failure.ts";
import { callPlaces, type CallPlaces } from "./call-places.ts";
import type { EngineLink } from "./engine-link.ts";

export interface HubCallOptions {
  /** Name of the caller, for the tool server's own record; not a permission. */
  readonly caller: string;
  /** The agent for whom this is done; undefined when it is for the person. */
  readonly agent?: string | undefined;
  readonly signal: AbortSignal;
  /** Hears of the tool's progress; the tool server is asked for it only then. */
  readonly onProgress?: CallOptions["onProgress"] | undefined;
}

export interface Hub {
  /**
   * Calls a tool of a connection's tool server, whatever the gate was there for having been asked before. Failures are
   * results; it never rejects.
   */
  call(
    connection: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: HubCallOptions,
  ): Promise<CallToolResult>;
  connections(): Connection[];
  link(connection: string): EngineLink | undefined;
  /** The connection that `/mcp` and the window show. */
  readonly defaultConnection: string;
}

export const HUB_LIMITS = {
  callsPerConnection: 128,
  callsOfAgents: 96,
  callsPerAgent: 32,
  /** Longer than the tool server gives an engine: what takes longer hangs. A question to the person is not counted here. */
  callMs: 60_000,
  /** `ironflow_wait_for_run` may take 300 s. */
  waitMs: 330_000,
  /** An application's tool has its own limit, which the tool server keeps; this is for one that hangs. */
  applicationMs: APPLICATION_TIMES.maxReplyMs + APPLICATION_TIMES.wayMs + 3_000,
} as const;

const WAITING_TOOL: ToolName = "ironflow_wait_for_run";

function limitMs(tool: string): number {
  if (tool === WAITING_TOOL) return HUB_LIMITS.waitMs;
  return toolByName(tool) === undefined ? HUB_LIMITS.applicationMs : HUB_LIMITS.callMs;
}

export interface HubEvents {
  readonly onConnections: (connections: Connection[]) => void;
  readonly onChanged: (connection: string, topic: LiveTopic) => void;
}

/**
 * The one way from main to the engines: every call of a screen or an agent goes through here.
 * @param shown the connection that is shown now; no other one can be called
 */
export function createHub(shown: () => EngineLink): Hub {
  const places = new WeakMap<EngineLink, CallPlaces>();
  const find = (connection: string) => (shown().id === connection ? shown() : undefined);

  function placesOf(link: EngineLink): CallPlaces {
    const known = places.get(link);
    if (known !== undefined) return known;
    const made = callPlaces({
      all: HUB_LIMITS.callsPerConnection,
      agents: HUB_LIMITS.callsOfAgents,
      perAgent: HUB_LIMITS.callsPerAgent,
    });
    places.set(link, made);
    return made;
  }

  async function call(
    link: EngineLink,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: HubCallOptions,
  ) {
    const session = link.session();
    if ("why" in session) return errorResult(notRunning(link.name, session.why, session.state));
    const changes = toolByName(tool)?.risk !== "read";
    const over = changes ? link.changeBegins() : () => {};
    try {
      return await session.callTool(tool, args, {
        signal: options.signal,
        timeoutMs: limitMs(tool),
        ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
        meta: { "ironbridge/caller": options.caller },
      });
    } catch (cause) {
      if (cause instanceof CallError) return errorResult(callFailure(cause.problem, cause.message, changes));
      return errorResult(callFailure("connection-lost", "The tool server could not be asked.", changes));
    } finally {
      over();
    }
  }

  return {
    async call(connection, tool, args, options) {
      const link = find(connection);
      if (link === undefined)
        return errorResult(notRunning(connection, "There is no such connection now.", "away"));
      const leave = placesOf(link).take(options.agent);
      if (typeof leave === "number") return errorResult(tooMany(link.name, leave));
      try {
        return await call(link, tool, args, options);
      } finally {
        leave();
      }
    },
    connections: () => [shown().describe()],
    link: find,
    get defaultConnection() {
      return shown().id;
    },
  };
}
