import { McpSession } from "../../mcp/client/session.ts";
import { nodeProgram, ownProcessEnv } from "../../loopback/environment.ts";
import { networkEnv } from "./network-env.ts";
import { endSentence, lastWords, withWords } from "./last-words.ts";
import type { ProcessRecords } from "./process-records.ts";
import type { Running } from "./supervisor.ts";

/** Which engine a tool server talks to and what it may offer. The key and the bridge's token reach this child only. */
export interface ToolServerTarget {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly allowWrites: boolean;
  readonly bridge: { readonly url: string; readonly token: string } | undefined;
}

export interface ToolServerOptions {
  readonly entry: string;
  readonly session: string;
  readonly cwd: string;
  readonly appVersion: string;
  readonly records: ProcessRecords;
  readonly target: ToolServerTarget;
}

/**
 * Starts the tool server as a stdio child and shakes hands with it. It is the client side that declares nothing: the
 * server can ask nobody.
 * @throws Error with a sentence
 */
export async function startToolServer(
  options: ToolServerOptions,
  signal: AbortSignal,
): Promise<Running<McpSession>> {
  signal.throwIfAborted();
  const { target } = options;
  const program = nodeProgram(options.entry, argumentsOf(target));
  const session = await McpSession.connect({
    command: program.command,
    args: program.args,
    cwd: options.cwd,
    env: ownProcessEnv({ session: options.session, extra: { ...program.extra, ...secretsOf(target) } }),
    clientInfo: { name: "ironbridge", version: options.appVersion },
    handshakeTimeoutMs: HANDSHAKE_MS,
    signal,
  });
  const pid = session.pid ?? 0; // a connected session has a process
  options.records.started(pid);
  const ended = session.ended.then((end) => {
    options.records.ended(pid);
    const words = lastWords(NAME, () => {});
    words.take(end.stderrTail);
    return end.exit === undefined
      ? withWords(`The ${NAME} is gone (${end.reason})`, words.text)
      : endSentence(NAME, end.exit, words.text);
  });
  return { value: session, ended, stop: () => session.close() };
}

const NAME = "tool server";
/** Several children start at once on a small machine. */
const HANDSHAKE_MS = 30_000;

function argumentsOf(target: ToolServerTarget): string[] {
  return [
    "--app",
    `--server-url=${target.url}`,
    // In the profile's folder, which is the child's own.
    ...(target.allowWrites ? ["--allow-writes", "--evidence-file=reload-evidence.jsonl"] : []),
    ...(target.bridge === undefined ? [] : [`--terminal-bridge-url=${target.bridge.url}`]),
  ];
}

function secretsOf(target: ToolServerTarget): Record<string, string> {
  return {
    ...networkEnv(target.url, process.env),
    ...(target.apiKey === undefined ? {} : { IRONFLOW_API_KEY: target.apiKey }),
    ...(target.bridge === undefined ? {} : { IRONFLOW_TERMINAL_BRIDGE_TOKEN: target.bridge.token }),
  };
}
