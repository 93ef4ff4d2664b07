import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { CallbackAnswer, RegisterToolRequest } from "../../../engine/contract/agent-tools.ts";
import type { ApplicationAnswer, ApplicationTool, Engine } from "../../engines/engine.ts";
import { readAnswer } from "../../upstream/answer.ts";
import { HttpClient } from "../../upstream/http.ts";
import { answerError } from "../../upstream/http-errors.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { toText } from "../../upstream/wire-json.ts";
import { publishedTools } from "./catalog.ts";

/** What is needed to try a tool: an engine has it, and so has an application's own declaration. */
export type ToolSource = Pick<Engine, "url" | "listApplicationTools" | "invokeApplicationTool">;

/** A longer file is no declaration, in characters: 100 tools with schemas of 64 KiB. */
const MAX_FILE_CHARS = 8 * 1024 * 1024;

/**
 * The tools that a file declares, without an engine: it holds what the application sends to `RegisterTool`, as JSON. A call
 * goes to its `callbackUrl` the way the engine makes it (contract, section 2.13).
 * @param secretHex what callbacks are signed with, 32 bytes as hex; they are not signed without it
 * @throws ToolFailure for a file that cannot be read or holds something else
 */
export function declaredIn(path: string, secretHex: string | undefined): ToolSource {
  const { agentName, callbackUrl, tools } = readRegistration(path);
  return {
    url: path,
    listApplicationTools: async () => {
      const declared = tools.map((tool) => ({
        name: `${agentName}.${tool.name}`,
        description: tool.description ?? "",
        inputSchemaJson: tool.inputSchemaJson ?? "",
        timeoutMs: tool.timeoutMs === 0 ? undefined : tool.timeoutMs,
      }));
      refuseBad(declared);
      return declared;
    },
    invokeApplicationTool: ({ tool, input, timeoutMs }, call) =>
      callBack({ url: callbackUrl, secretHex, tool, input, timeoutMs }, call.signal),
  };
}

function readRegistration(path: string): RegisterToolRequest {
  const parsed = RegisterToolRequest.safeParse(jsonIn(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? "the whole" : issue.path.join(".");
  throw unusable(`--declaration: ${field}: ${issue?.message ?? "cannot be used"}`);
}

/** An engine takes all tools of a registration or none. @throws ToolFailure that names each bad one with its reason */
function refuseBad(declared: readonly ApplicationTool[]): void {
  const problems: string[] = [];
  publishedTools(declared, (problem) => problems.push(problem.replace(/^warning: /, "")));
  if (problems.length === 0) return;
  throw new ToolFailure({
    code: "failed_precondition",
    message: `the registration would be refused: ${problems.join("; ")}`,
    retryable: false,
    hint: "Mend the declaration; no tool of it is served before.",
  });
}

function jsonIn(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(`--declaration cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (text.length > MAX_FILE_CHARS)
    throw unusable(`--declaration is longer than ${MAX_FILE_CHARS} characters`);
  try {
    return JSON.parse(text);
  } catch {
    throw unusable("--declaration is not JSON");
  }
}

const unusable = (message: string): ToolFailure =>
  new ToolFailure({
    code: "invalid_argument",
    message,
    retryable: false,
    hint: "The file holds what the application sends to RegisterTool: agentName, callbackUrl and tools.",
  });

type Callback = {
  readonly url: string;
  readonly secretHex: string | undefined;
  readonly tool: string;
  readonly input: object;
  readonly timeoutMs: number;
};

/** One callback, made once. @throws ToolFailure when the application cannot be reached or answers something else */
async function callBack(
  { url, secretHex, tool, input, timeoutMs }: Callback,
  signal: AbortSignal | undefined,
): Promise<ApplicationAnswer> {
  const { origin, pathname, search, protocol } = callbackOf(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw unusable("callbackUrl must begin with http:// or https://");
  const client = new HttpClient({ baseUrl: origin, peer: { name: "the application", hints: {} } });
  const body = toText({ qualified_name: tool, input });
  const request = {
    method: "POST",
    path: pathname + search,
    body,
    headers: secretHex === undefined ? {} : signed(body, secretHex),
    effect: "once",
    deadlineMs: timeoutMs,
  } as const;
  const answer = await client.send(request, { signal, timeoutMs });
  const { status, text } = answer;
  if (status !== 200 && status !== 400) {
    const failure = answerError(client.peer, request, answer);
    throw status === 401 && secretHex === undefined ? unsigned(failure.message) : failure;
  }
  const said = readAnswer(CallbackAnswer, text, `the application's answer (HTTP ${status})`);
  if (!("error" in said)) return { output: said.output ?? null };
  // The engine takes this one code from an application, and tells its own for all others.
  const code = said.error.code === "INPUT_SCHEMA_INVALID" ? said.error.code : "HANDLER_ERROR";
  return { error: { code, message: said.error.message } };
}

function callbackOf(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw unusable("callbackUrl is no address");
}

function signed(body: string, secretHex: string): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000);
  const hmac = createHmac("sha256", Buffer.from(secretHex, "hex")).update(`${seconds}.${body}`);
  return {
    "x-ironflow-timestamp": String(seconds),
    "x-ironflow-signature": `sha256=${hmac.digest("hex")}`,
  };
}

const unsigned = (message: string): ToolFailure =>
  new ToolFailure({
    code: "unauthenticated",
    message,
    retryable: false,
    hint: "The application wants the callback signed: put the secret of its registration into IRONFLOW_AGENT_TOOLS_SECRET.",
  });
