import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { toolByName, type ToolName } from "../contract/tools.ts";
import type { ToolRow } from "../contract/tool-row.ts";
import type { Engine } from "../engines/engine.ts";
import { EngineError } from "../engines/engine-error.ts";
import { argumentError } from "./arguments.ts";
import type { ServerOptions } from "./flags.ts";
import { instructions } from "./instructions.ts";
import { log } from "./log.ts";
import { offeredRows, isOffered, toListedTool } from "./offered.ts";
import { engineFailure, failureResult, successResult } from "./result.ts";
import { HANDLERS } from "./tools/handlers.ts";
import type { ToolContext } from "./tools/handler.ts";

/** Calls of one client that run at the same time; the next one is told to come back. */
const MAX_CALLS_IN_FLIGHT = 64;

export type ToolServerParts = {
  readonly version: string;
  readonly engine: Engine;
  readonly options: ServerOptions;
};

/**
 * Makes the factory of MCP servers over one engine. The SDK asks for one server per connection and era (and one more to
 * probe the era), so everything that lasts lives in the closure. The low-level `Server` leaves the arguments to us: the
 * row's own schema checks them, and the error says what is allowed.
 */
export function toolServerFactory({ version, engine, options }: ToolServerParts): () => Server {
  const listed = offeredRows(options).map(toListedTool);
  let inFlight = 0;
  return () => {
    const server = new Server(
      { name: "ironbridge-mcp", title: "Ironbridge tools", version },
      {
        capabilities: { tools: {} },
        instructions: instructions(engine.url, options.allowWrites),
      },
    );
    server.setRequestHandler("tools/list", () => ({ tools: listed }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const row = findRow(params.name, options);
      if (inFlight >= MAX_CALLS_IN_FLIGHT) return tooManyCalls();
      inFlight += 1;
      try {
        const result = await callTool(row, params.arguments ?? {}, toolContext(engine, context));
        return { ...result, _meta: { "ironbridge/engine": { url: engine.url } } };
      } finally {
        inFlight -= 1;
      }
    });
    return server;
  };
}

function toolContext(engine: Engine, context: ServerContext): ToolContext {
  return { engine, signal: context.mcpReq.signal };
}

/** @throws ProtocolError for a tool that is unknown, or not offered the way this server was started */
function findRow(name: string, options: ServerOptions): ToolRow {
  const row = toolByName(name);
  if (row !== undefined && isOffered(row, options)) return row;
  const why = row === undefined || row.for === "app" ? "there is no such tool" : missingMode(row);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Tool ${name.slice(0, 128)} is not available: ${why}`,
  );
}

const missingMode = (row: ToolRow): string =>
  row.mode === "terminal"
    ? "this server was started without --terminal-bridge-url"
    : "this server was started read-only, without --allow-writes";

async function callTool(row: ToolRow, given: unknown, context: ToolContext): Promise<CallToolResult> {
  const parsed = row.input.safeParse(given, { reportInput: true });
  if (!parsed.success) return failureResult(argumentError(row.name, parsed.error, row.input));
  try {
    return successResult(row, await handlerOf(row)(parsed.data as never, context));
  } catch (error) {
    if (error instanceof EngineError) return failureResult(engineFailure(error));
    // The exception's own words may hold paths and addresses: they go to the log, not to the model.
    log(`${row.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return failureResult({
      error: `${row.name} failed inside the tool server`,
      code: "internal",
      retryable: false,
      hint: "This is a fault of the tool server; its standard error has the details.",
    });
  }
}

/** Row and handler carry the same name, and the arguments were parsed by that row, so they fit. */
function handlerOf(row: ToolRow): (input: never, context: ToolContext) => Promise<object> {
  return HANDLERS[row.name as ToolName];
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
