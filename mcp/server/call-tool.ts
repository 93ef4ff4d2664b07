import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolError } from "../contract/errors.ts";
import type { ToolRow } from "../contract/tool-row.ts";
import type { ToolName } from "../contract/tools.ts";
import type { Engine } from "../engines/engine.ts";
import { ToolFailure } from "../upstream/tool-failure.ts";
import { argumentError } from "../contract/argument-error.ts";
import type { Evidence } from "./evidence.ts";
import type { Confirmation, Confirmer } from "./confirm.ts";
import { log } from "./log.ts";
import { QUESTIONS, type IrreversibleName } from "./questions.ts";
import { failureResult, successResult, toToolError } from "./result.ts";
import type { TerminalBridge } from "./terminal-bridge.ts";
import { HANDLERS } from "./tools/handlers.ts";
import type { ToolContext } from "./tools/handler.ts";

/** What all calls of one tool server share. */
export type CallParts = {
  readonly engine: Engine;
  readonly terminal: TerminalBridge | undefined;
  readonly evidence: Evidence | undefined;
  readonly confirmer: Confirmer;
};

type Request = { readonly server: Server; readonly context: ServerContext };

/**
 * One call of one tool: arguments checked, the person's yes where it takes one, the handler run. Never throws; what went
 * wrong is an `isError` result with the error object.
 */
export async function callTool(
  row: ToolRow,
  given: unknown,
  parts: CallParts,
  request: Request,
): Promise<CallToolResult | InputRequiredResult> {
  const parsed = row.input.safeParse(given, { reportInput: true });
  if (!parsed.success) return failureResult(argumentError(row.name, parsed.error, row.input));
  const context = toolContext(parts, request.context);
  try {
    const confirmation = await confirmed(row, parsed.data, { parts, request, context });
    if (!confirmation.ok) return confirmation.result;
    return successResult(row, await handlerOf(row)(parsed.data as never, context));
  } catch (error) {
    if (error instanceof ToolFailure) return failureResult(withUnknownOutcome(row, toToolError(error)));
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

/** The engine took a change and its answer cannot be read: whoever takes that for "not done" does it twice. */
function withUnknownOutcome(row: ToolRow, error: ToolError): ToolError {
  if (row.risk === "read" || error.code !== "data_loss") return error;
  const hint = "The change was probably made: read the target before calling again.";
  return { ...error, hint: error.hint === undefined ? hint : `${hint} ${error.hint}` };
}

async function confirmed(
  row: ToolRow,
  args: Record<string, unknown>,
  { parts, request, context }: { parts: CallParts; request: Request; context: ToolContext },
): Promise<Confirmation> {
  if (row.risk !== "irreversible") return { ok: true };
  const question = QUESTIONS[row.name as IrreversibleName];
  return parts.confirmer.confirm(
    { tool: row.name, args, question: () => question(args as never, context) },
    request.context,
    clientCapabilities(request),
  );
}

/** 2026-07-28 clients declare them with every request, others in the handshake. */
function clientCapabilities({ server, context }: Request): ClientCapabilities | undefined {
  const envelope: Record<string, unknown> = { ...context.mcpReq.envelope };
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
  return declared === undefined ? server.getClientCapabilities() : (declared as ClientCapabilities);
}

const CALLER_META_KEY = "ironbridge/caller";
const MAX_CALLER_CHARS = 128;

function toolContext({ engine, terminal, evidence }: CallParts, { mcpReq }: ServerContext): ToolContext {
  const caller: unknown = mcpReq._meta?.[CALLER_META_KEY];
  return {
    engine,
    terminal,
    evidence,
    caller: typeof caller === "string" && caller !== "" ? caller.slice(0, MAX_CALLER_CHARS) : "agent",
    signal: mcpReq.signal,
    progress: (done, total) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined) return;
      const params = { progressToken, progress: done, total };
      mcpReq.notify({ method: "notifications/progress", params }).catch((error: unknown) => {
        log(`a progress notification was not sent: ${String(error)}`);
      });
    },
  };
}

/** Row and handler carry the same name, and the arguments were parsed by that row, so they fit. */
function handlerOf(row: ToolRow): (input: never, context: ToolContext) => Promise<object> {
  return HANDLERS[row.name as ToolName];
}
