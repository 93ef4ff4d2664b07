import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  isInputRequiredResult,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import { listedTool } from "../contract/listed-tool.ts";
import type { ToolRow } from "../contract/tool-row.ts";
import { toolByName } from "../contract/tools.ts";
import type { Engine } from "../engines/engine.ts";
import { callApplicationTool, listedApplicationTool } from "./application-tools/call.ts";
import type { ApplicationTools, PublishedTool } from "./application-tools/catalog.ts";
import { callTool, type CallParts } from "./call-tool.ts";
import { Confirmer } from "./confirm.ts";
import type { Evidence } from "./evidence.ts";
import type { ServerOptions } from "./flags.ts";
import { instructions } from "./instructions.ts";
import type { LiveResources } from "./resources/live.ts";
import { serveResources } from "./resources/resources.ts";
import { log } from "./log.ts";
import { isOffered, offeredRows, type Modes } from "./offered.ts";
import { failureResult } from "./result.ts";
import { createTerminalBridge } from "./terminal-bridge.ts";

/** Calls of one client that run at the same time; the next one is told to come back. */
const MAX_CALLS_IN_FLIGHT = 256;

/** Which family of protocol revisions a connection speaks. */
type Era = "modern" | "legacy";

/** `perRequest`: the server answers one request and is gone, so nobody can be told anything later. */
export type BuildServer = (context: { era: Era; perRequest?: boolean }) => Server;

export type ToolServerParts = {
  readonly version: string;
  readonly engine: Engine;
  readonly options: ServerOptions;
  /** Undefined without an evidence file, and when it could not be opened. */
  readonly evidence: Evidence | undefined;
  /** Undefined in read-only mode and with --static-only. */
  readonly applications: ApplicationTools | undefined;
  /** The live resources of `--app`; undefined without it. */
  readonly live: LiveResources | undefined;
};

/**
 * Makes the factory of MCP servers over one engine. The SDK asks for one server per connection and era (and one more to
 * probe the era), so everything that lasts lives in the closure. The low-level `Server` leaves the arguments to us: the
 * row's own schema checks them, and the error says what is allowed.
 */
export function toolServerFactory({
  version,
  engine,
  options,
  evidence,
  applications,
  live,
}: ToolServerParts): BuildServer {
  const modes = { ...options, evidence };
  const listed = offeredRows(modes).map(listedTool);
  const terminal = options.terminal === undefined ? undefined : createTerminalBridge(options.terminal);
  const parts: CallParts = { engine, terminal, evidence, confirmer: new Confirmer() };
  let inFlight = 0;
  return ({ era, perRequest = false }) => {
    const server = new Server(
      { name: "ironbridge-mcp", title: "Ironbridge tools", version },
      {
        capabilities: {
          tools: applications === undefined ? {} : { listChanged: true },
          resources: live === undefined ? {} : { subscribe: true },
        },
        instructions: instructions(engine.url, options.allowWrites),
        requestState: parts.confirmer.requestState,
      },
    );
    server.setRequestHandler("tools/list", async () => {
      const declared = (await applications?.list()) ?? [];
      return { tools: [...listed, ...declared.map(listedApplicationTool)] };
    });
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const tool = await findTool(params.name, modes, applications);
      if (inFlight >= MAX_CALLS_IN_FLIGHT) return tooManyCalls();
      inFlight += 1;
      try {
        const args = params.arguments ?? {};
        const result =
          "published" in tool
            ? await callApplicationTool(tool, args, { engine, signal: context.mcpReq.signal })
            : await callTool(tool, args, parts, { server, context });
        return isInputRequiredResult(result)
          ? result
          : { ...result, _meta: { "ironbridge/engine": { url: engine.url } } };
      } finally {
        inFlight -= 1;
      }
    });
    serveResources(server, era, { engine, live });
    if (!perRequest) tellOfChanges(server, applications);
    return server;
  };
}

/** Says that the list of tools has changed, until the connection ends. */
function tellOfChanges(server: Server, applications: ApplicationTools | undefined): void {
  if (applications === undefined) return;
  const stop = applications.onChanged(() => {
    server.sendToolListChanged().catch((error: unknown) => {
      log(`a change of the tools was not told: ${String(error)}`);
    });
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
  const before = server.onclose;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- as above
  server.onclose = () => {
    stop();
    before?.();
  };
}

/** @throws ProtocolError for a tool that is unknown, or not offered the way this server was started */
async function findTool(
  name: string,
  modes: Modes,
  applications: ApplicationTools | undefined,
): Promise<ToolRow | PublishedTool> {
  const row = toolByName(name);
  if (row !== undefined && isOffered(row, modes)) return row;
  const declared = row === undefined ? await applications?.find(name) : undefined;
  if (declared !== undefined) return declared;
  const why = row === undefined || row.for === "app" ? "there is no such tool" : missingMode(row, modes);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Tool ${name.slice(0, 128)} is not available: ${why}`,
  );
}

function missingMode(row: ToolRow, { allowWrites }: Modes): string {
  if (row.mode === "terminal") return "this server was started without --terminal-bridge-url";
  if (row.mode === "evidence" && allowWrites)
    return "this server was started without --evidence-file, or could not open it";
  return "this server was started read-only, without --allow-writes";
}

function tooManyCalls(): CallToolResult {
  return failureResult({
    error: `${MAX_CALLS_IN_FLIGHT} calls are already running`,
    code: "resource_exhausted",
    retryable: true,
    retry_after: 1,
    hint: "Wait for the answers of the calls under way.",
  });
}
