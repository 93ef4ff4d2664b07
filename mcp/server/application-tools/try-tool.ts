import type { CallToolResult } from "@modelcontextprotocol/server";
import { ToolError } from "../../contract/errors.ts";
import { applicationArgumentError } from "../../json-schema/argument-problems.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { failureResult, toToolError, valueResult } from "../result.ts";
import { callApplicationTool } from "./call.ts";
import { publishedTools, type PublishedTool } from "./catalog.ts";
import type { ToolSource } from "./declared-file.ts";

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

export type Attempt = {
  /** Where the tool is declared; what it throws is the outcome. */
  readonly source: () => ToolSource;
  /** As declared (`agent.tool`) or as published. */
  readonly name: string;
  readonly args: object;
  /** Declaration and arguments are checked, and nothing is called. */
  readonly dryRun: boolean;
};

/**
 * Calls one application's tool the way the tool server does, without a server and a client: the declaration is read from
 * the engine, or from a file where there is no engine, and checked, so are the arguments, and the call is made. A
 * declaration that would not be served is an error with its reason. Never rejects with a `ToolFailure`.
 */
export async function tryTool(wanted: Attempt): Promise<Tried> {
  return tried(await attempt(wanted));
}

async function attempt({ source, name, args, dryRun }: Attempt): Promise<CallToolResult> {
  try {
    const engine = source();
    const problems: string[] = [];
    const declared = await engine.listApplicationTools({});
    const tools = publishedTools(declared, (problem) => problems.push(problem.replace(/^warning: /, "")));
    const tool = tools.get(name) ?? [...tools.values()].find((one) => one.name === name);
    const why = problems.find((problem) => problem.includes(JSON.stringify(name)));
    if (tool !== undefined && why === undefined) {
      const wrong = dryRun ? tool.check(args) : [];
      if (wrong.length > 0) return failureResult(applicationArgumentError(tool.published, wrong));
      if (dryRun) return valueResult(wouldBeCalled(tool));
      return await callApplicationTool(tool, args, { engine, signal: new AbortController().signal });
    }
    return failureResult({
      error: why ?? `no application declares a tool ${name} in ${engine.url}`,
      code: why === undefined ? "not_found" : "failed_precondition",
      retryable: false,
      hint: `Known tools: ${[...tools.values()].map((one) => one.name).join(", ") || "none"}`,
    });
  } catch (error) {
    if (error instanceof ToolFailure) return failureResult(toToolError(error));
    throw error;
  }
}

const wouldBeCalled = ({ name, published }: PublishedTool): string =>
  `${name} is declared well, would be served as ${published}, and takes these arguments. Nothing was called.`;

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
