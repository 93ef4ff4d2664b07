import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { bearer, CALL_MS, clientInfo, type ProbeClient, type ProbeTarget } from "./probe-client.ts";

/** SDK v1, as most agents have it: the revisions that begin with a handshake. */
export async function connectHandshake(target: ProbeTarget): Promise<ProbeClient> {
  const transport = new StreamableHTTPClientTransport(new URL(target.url), {
    requestInit: bearer(target),
    fetch: target.fetch,
  });
  const client = new Client(clientInfo(target.version));
  await client.connect(transport);
  const server = client.getServerVersion();
  return {
    era: "handshake",
    revision: transport.protocolVersion,
    server: server === undefined ? undefined : `${server.name} ${server.version}`,
    listTools: async () => (await client.listTools()).tools,
    // Not client.callTool: that one puts its own opinion of the output in the place of what the server said.
    call: (name, args, signal) =>
      client.request({ method: "tools/call", params: { name, arguments: args } }, CallToolResultSchema, {
        signal,
        timeout: CALL_MS,
        onprogress: () => {
          // Asked for, so that the frames show it.
        },
      }),
    // Without a goodbye to the endpoint: its token opens nothing any more, and the endpoint ends the session itself.
    close: () => client.close(),
  };
}
