import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Agent } from "./agent.ts";
import { callResult } from "./agent.ts";

/** An agent on SDK v2, pinned to the stateless revision 2026-07-28. */
export async function modernAgent(url: string, token: string, name = "e2e modern agent"): Promise<Agent> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  const client = new Client(
    { name, version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(transport);
  return {
    era: "2026-07-28",
    listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, args = {}, options = {}) =>
      callResult(
        await client.callTool(
          { name: tool, arguments: args },
          {
            timeout: options.timeoutMs ?? 60_000,
            ...(options.signal === undefined ? {} : { signal: options.signal }),
          },
        ),
      ),
    close: () => client.close(),
  };
}
