import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { ConnectCode } from "../../../engine/contract/errors.ts";
import { APPLICATION_TIMES, APPLICATION_TOOL_PREFIX } from "../../contract/application-tools.ts";
import type { ApplicationAnswer, Engine } from "../../engines/engine.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { quote } from "../../upstream/http-errors.ts";
import { failureResult, toToolError, valueResult } from "../result.ts";
import { applicationArgumentError } from "../../json-schema/argument-problems.ts";
import type { PublishedTool } from "./catalog.ts";

/** The tool as `tools/list` shows it: its text says that the application wrote it, and its effects are not known. */
export function listedApplicationTool({ name, published, description, inputSchema }: PublishedTool): Tool {
  return {
    name: published,
    title: name,
    description: `${APPLICATION_TOOL_PREFIX}${name}] ${description}`.trim(),
    inputSchema,
    annotations: {
      title: name,
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
  };
}

/**
 * Calls an application's tool: the arguments are checked first, the call is made once, and what comes back is a result in
 * any case: an object as `structuredContent` and its JSON as text, a text as text, a failure as the error object.
 */
export async function callApplicationTool(
  tool: PublishedTool,
  args: object,
  {
    engine,
    signal,
  }: { readonly engine: Pick<Engine, "invokeApplicationTool">; readonly signal: AbortSignal },
): Promise<CallToolResult> {
  const problems = tool.check(args);
  if (problems.length > 0) return failureResult(applicationArgumentError(tool.published, problems));
  const { replyMs, wayMs, maxReplyMs } = APPLICATION_TIMES;
  const timeoutMs = tool.timeoutMs === undefined ? replyMs : Math.min(tool.timeoutMs, maxReplyMs) + wayMs;
  try {
    const answer = await engine.invokeApplicationTool(
      { tool: tool.name, input: args, timeoutMs },
      { signal },
    );
    return toResult(tool.name, answer);
  } catch (error) {
    if (error instanceof ToolFailure) return failureResult(toToolError(error));
    throw error;
  }
}

function toResult(name: string, answer: ApplicationAnswer): CallToolResult {
  if ("error" in answer) return failureResult(toToolError(applicationFailure(name, answer.error)));
  return valueResult(answer.output);
}

const LOOK_FIRST = "It may or may not have been done: look at what it changes before you call it again.";

/** The engine's words for a call that failed (contract, section 2.13): code and advice. None is safe to repeat unseen. */
const FAILURES: Readonly<Record<string, readonly [code: ConnectCode, hint: string]>> = {
  TOOL_NOT_FOUND: ["not_found", "The application has taken the tool away: list the tools again."],
  SCOPE_MISMATCH: ["permission_denied", "The API key in use lacks a scope that the tool requires."],
  INPUT_SCHEMA_INVALID: ["invalid_argument", "Nothing was done. Mend the arguments and call it again."],
  CALLBACK_UNREACHABLE: ["unavailable", `Is the application running? ${LOOK_FIRST}`],
  CALLBACK_TIMEOUT: ["deadline_exceeded", LOOK_FIRST],
  CALLBACK_INVALID_RESPONSE: ["data_loss", `The application answered nonsense. ${LOOK_FIRST}`],
  HANDLER_ERROR: ["unknown", `The application's own code failed. ${LOOK_FIRST}`],
};

function applicationFailure(name: string, error: { code: string; message: string }): ToolFailure {
  const [code, hint] = FAILURES[error.code] ?? (["unknown", LOOK_FIRST] as const);
  return new ToolFailure({
    code,
    message: quote(error.message) || `the application's tool ${name} failed (${quote(error.code)})`,
    retryable: false,
    reason: quote(error.code) || undefined,
    hint,
  });
}
