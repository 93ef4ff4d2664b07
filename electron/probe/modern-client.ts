import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bearer, CALL_MS, clientInfo, type ProbeClient, type ProbeTarget } from "./probe-client.ts";

const REVISION = "2026-07-28";

/** SDK v2, held to the stateless revision. */
export async function connectModern(target: ProbeTarget): Promise<ProbeClient> {
  const transport = new StreamableHTTPClientTransport(new URL(target.url), {
    requestInit: bearer(target),
    fetch: target.fetch,
  });
  const client = new Client(clientInfo(target.version), {
    versionNegotiation: { mode: { pin: REVISION } },
  });
  await client.connect(transport);
  const server = client.getServerVersion();
  return {
    era: REVISION,
    revision: REVISION,
    server: server === undefined ? undefined : `${server.name} ${server.version}`,
    listTools: async () => (await client.listTools()).tools,
    call: (name, args, signal) =>
      client.callTool(
        { name, arguments: args },
        {
          signal,
          timeout: CALL_MS,
          onprogress: () => {
            // Asked for, so that the frames show it.
          },
        },
      ),
    close: () => client.close(),
  };
}
