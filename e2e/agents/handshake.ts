import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Agent } from "./agent.ts";
import { callResult } from "./agent.ts";

/** An agent on SDK v1: the handshake revisions, as most clients in the field still speak them. */
export async function handshakeAgent(
  url: string,
  token: string,
  name = "e2e handshake agent",
): Promise<Agent> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name, version: "1.0.0" });
  await client.connect(transport);
  return {
    era: "handshake",
    listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, args = {}, options = {}) =>
      callResult(
        await client.callTool({ name: tool, arguments: args }, undefined, {
          timeout: options.timeoutMs ?? 60_000,
          ...(options.signal === undefined ? {} : { signal: options.signal }),
        }),
      ),
    close: () => client.close(),
  };
}
