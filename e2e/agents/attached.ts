import { join } from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as HandshakeClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as HandshakeStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { DIST } from "../../build/paths.mjs";
import { callResult, type Agent } from "./agent.ts";

/** An agent that speaks stdio only, over `ironbridge-mcp --attach`. */
export type AttachedAgent = Agent & { readonly pid: number; toolsChanged: number };

const parameters = (connectionFile: string, token: string) => ({
  command: process.execPath,
  args: [join(DIST, "mcp-server.cjs"), "--attach", `--connection-file=${connectionFile}`],
  env: { IRONBRIDGE_TOKEN: token },
  stderr: "ignore" as const,
});

/** A person may take their time; a client of the handshake era counts that against its own timeout. */
const PATIENCE_MS = 120_000;

export async function attachedHandshake(connectionFile: string, token: string): Promise<AttachedAgent> {
  const transport = new HandshakeStdio(parameters(connectionFile, token));
  const client = new HandshakeClient({ name: "e2e attached handshake agent", version: "1.0.0" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    agent.toolsChanged += 1;
  });
  const agent: AttachedAgent = {
    era: "handshake",
    pid: 0,
    toolsChanged: 0,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (tool, args = {}, { timeoutMs = PATIENCE_MS, signal } = {}) =>
      callResult(
        await client.callTool({ name: tool, arguments: args }, undefined, {
          timeout: timeoutMs,
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
    close: () => client.close(),
  };
  await client.connect(transport);
  return Object.assign(agent, { pid: transport.pid ?? 0 });
}

export async function attachedModern(connectionFile: string, token: string): Promise<AttachedAgent> {
  const transport = new ModernStdio(parameters(connectionFile, token));
  const client = new ModernClient(
    { name: "e2e attached modern agent", version: "1.0.0" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      listChanged: {
        tools: {
          autoRefresh: false,
          onChanged: () => {
            agent.toolsChanged += 1;
          },
        },
      },
    },
  );
  const agent: AttachedAgent = {
    era: "2026-07-28",
    pid: 0,
    toolsChanged: 0,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (tool, args = {}, { timeoutMs = PATIENCE_MS, signal } = {}) =>
      callResult(
        await client.callTool(
          { name: tool, arguments: args },
          { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) },
        ),
      ),
    close: () => client.close(),
  };
  await client.connect(transport);
  return Object.assign(agent, { pid: transport.pid ?? 0 });
}
