import {
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  inputRequired,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import type { ToolError } from "../../mcp/contract/errors.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { HANDSHAKE_PATIENCE, MODERN_PATIENCE, type Patience } from "./held-questions.ts";
import type { Caller } from "./permissions.ts";
import { errorResult } from "./tool-result.ts";
import { publishedTool } from "./published-tools.ts";
import { factsOf, type Remote } from "./request-facts.ts";

/** One call of an agent, on its way to the gate. */
export interface AgentCall {
  readonly caller: Caller;
  readonly tokenId: string;
  readonly remote: Remote;
  /** What the client says of itself: shown beside the caller's name, never instead of it. */
  readonly claim: string | undefined;
  readonly connection: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Aborts when the caller cancels or goes away. */
  readonly signal: AbortSignal;
  /** How long its client can wait for a person. */
  readonly patience: Patience;
  /** What the client was given when it was told to come back. Not trusted: it may be anything. */
  readonly state: string | undefined;
  /** Only where the caller asked for progress. */
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** The answer is not there yet: the client is to send the same call again with this. */
export interface ComeBack {
  readonly comeBack: string;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface AgentServerParts {
  readonly version: string;
  readonly era: "legacy" | "modern";
  readonly instructions: string;
  /** The rows that this caller is offered on this connection, now. */
  tools(caller: Caller, connection: string): readonly ToolRow[];
  /** Undefined when the caller is not offered such a tool. */
  call(call: AgentCall): Promise<CallToolResult | ComeBack | undefined>;
  /** Told what a call threw; the caller only hears that something did. */
  readonly onError: (cause: unknown) => void;
}

const OWN_FAULT: ToolError = {
  error: "Ironbridge itself failed while it handled this call.",
  code: "internal",
  retryable: false,
  hint: "It is not known whether anything was done: read the target before calling again.",
};

const CLAIM_CHARS = 128;
const ClientInfo = z.object({ name: z.string(), version: z.string().optional() });

/**
 * The protocol's server for one session or one request. It holds no rights of its own: each list and each call asks anew
 * with the caller that the guard admitted for that very request.
 */
export function agentServer(parts: AgentServerParts): Server {
  const server = new Server(
    { name: "ironbridge", title: "Ironbridge", version: parts.version },
    { capabilities: { tools: { listChanged: true } }, instructions: parts.instructions },
  );

  server.setRequestHandler("tools/list", (_, context) => {
    const { caller, connection } = factsOf(context.http?.authInfo);
    return { tools: parts.tools(caller, connection).map(publishedTool) };
  });

  server.setRequestHandler("tools/call", async (request, context) => {
    const { caller, tokenId, remote, connection, gone } = factsOf(context.http?.authInfo);
    const { name, arguments: args = {} } = request.params;
    const state = context.mcpReq.requestState();
    const call: AgentCall = {
      caller,
      tokenId,
      remote,
      patience: parts.era === "modern" ? MODERN_PATIENCE : HANDSHAKE_PATIENCE,
      state: typeof state === "string" ? state : undefined,
      claim: claimOf(server, context),
      connection,
      tool: name,
      args,
      signal: AbortSignal.any([context.mcpReq.signal, gone]),
      onProgress: progressOf(context),
    };
    const result = await parts.call(call).catch((cause: unknown) => {
      // The SDK would pass the exception's own words on to the model.
      parts.onError(cause);
      return errorResult(OWN_FAULT);
    });
    if (result === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    if ("comeBack" in result) return inputRequired({ requestState: result.comeBack as string });
    return result;
  });

  return server;
}

/** The handshake says it once per session, 2026-07-28 with every request. */
function claimOf(server: Server, context: ServerContext): string | undefined {
  // The SDK types the envelope as empty; what is read from it is parsed below.
  const envelope: Record<string, unknown> = context.mcpReq.envelope ?? {};
  const said = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const info = ClientInfo.safeParse(said);
  if (!info.success) return undefined;
  return `${info.data.name} ${info.data.version ?? ""}`.trim().slice(0, CLAIM_CHARS);
}

function progressOf(context: ServerContext): AgentCall["onProgress"] {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ progress, total, message }) => {
    const known = {
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    context.mcpReq
      .notify({ method: "notifications/progress", params: { progressToken, progress, ...known } })
      .catch(() => {
        // The caller has gone; its call ends by its signal.
      });
  };
}
