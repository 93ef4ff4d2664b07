import type { CallToolResult } from "@modelcontextprotocol/server";
import { ToolError } from "../../contract/errors.ts";
import type { Engine } from "../../engines/engine.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { failureResult, toToolError } from "../result.ts";
import { callApplicationTool } from "./call.ts";
import { publishedTools } from "./catalog.ts";

export type Tried = {
  /** What a client would get. */
  readonly shown: { isError: boolean; text: string; structuredContent?: unknown };
  readonly exitCode: number;
};

/** Exit codes by the class of the error (seeds: "Errors"). */
const EXIT_OF: Readonly<Record<string, number>> = {
  invalid_argument: 4,
  out_of_range: 4,
  unauthenticated: 5,
  permission_denied: 5,
  not_found: 6,
  already_exists: 7,
  aborted: 7,
  failed_precondition: 7,
};
const RETRY = 3;
const OTHER = 1;

/**
 * Calls one application's tool the way the tool server does, without a server and a client: the declaration is read from
 * the engine and checked, so are the arguments, and the call is made. A declaration that would not be served is an error
 * with its reason. Never rejects with a `ToolFailure`.
 */
export async function tryTool(engine: Engine, name: string, args: object): Promise<Tried> {
  return tried(await attempt(engine, name, args));
}

async function attempt(engine: Engine, name: string, args: object): Promise<CallToolResult> {
  try {
    const problems: string[] = [];
    const declared = await engine.listApplicationTools({});
    const tools = publishedTools(declared, (problem) => problems.push(problem));
    const tool = tools.get(name) ?? [...tools.values()].find((one) => one.name === name);
    if (tool !== undefined)
      return await callApplicationTool(tool, args, { engine, signal: new AbortController().signal });
    const why = problems.find((problem) => problem.includes(JSON.stringify(name)));
    return failureResult({
      error: why ?? `no application registered a tool ${name} with ${engine.url}`,
      code: why === undefined ? "not_found" : "failed_precondition",
      retryable: false,
      hint: `Known tools: ${[...tools.values()].map((one) => one.name).join(", ") || "none"}`,
    });
  } catch (error) {
    if (error instanceof ToolFailure) return failureResult(toToolError(error));
    throw error;
  }
}

function tried(result: CallToolResult): Tried {
  const [block] = result.content;
  const text = block?.type === "text" ? block.text : "";
  const isError = result.isError === true;
  const shown = {
    isError,
    text,
    ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }),
  };
  return { shown, exitCode: isError ? exitCodeOf(text) : 0 };
}

function exitCodeOf(text: string): number {
  const { code, retryable } = ToolError.parse(JSON.parse(text)); // failureResult wrote it
  return retryable ? RETRY : (EXIT_OF[code] ?? OTHER);
}
