import { tmpdir } from "node:os";
import { ownProcessEnv } from "../../loopback/environment.ts";
import type { Bundle } from "../../loopback/testing/bundle.ts";
import { McpSession } from "../client/session.ts";
import type { ToolArguments, ToolName, ToolOutput } from "../contract/tools.ts";

/** A session with a tool server of its own, which works on `engine`; `env` is the server's own beside ours. */
export function openToolSession(
  server: Bundle,
  engine: { readonly url: string; readonly apiKey?: string },
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<McpSession> {
  const key = engine.apiKey === undefined ? {} : { IRONFLOW_API_KEY: engine.apiKey };
  return McpSession.connect({
    command: process.execPath,
    args: [server.file, "--server-url", engine.url, ...flags],
    cwd: tmpdir(),
    env: ownProcessEnv({ extra: { ...key, ...env } }),
    clientInfo: { name: "test", version: "1" },
  });
}

/** What a tool answers that is not to fail. */
export async function callTool<Name extends ToolName>(
  session: McpSession,
  name: Name,
  args: ToolArguments<Name>,
): Promise<ToolOutput<Name>> {
  const result = await session.callTool(name, args);
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
  return result.structuredContent as ToolOutput<Name>;
}
