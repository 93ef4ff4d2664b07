import { makeToken, sameToken } from "../../../../loopback/token.ts";
import { startMcpEndpoint } from "../../server.ts";
import { fixtureServer } from "./fixture-server.ts";

/** Announces itself on stdout as `{"port","token"}`, one line, and ends with its stdin. */
async function main(): Promise<void> {
  const [proxyPort = ""] = process.argv.slice(2);
  const token = makeToken("ibk_");
  const caller = { kind: "token", name: "conformance", permissions: ["mcp.call"] } as const;
  let toolsChanged = () => {};
  const endpoint = await startMcpEndpoint({
    ports: [0],
    authenticate: (given) => (sameToken(given, token) ? { caller, tokenId: "conformance" } : undefined),
    connection: (id) => (id === undefined ? "local" : undefined),
    build: (_, era) => {
      const server = fixtureServer(era);
      server.registerTool("test_trigger_tool_change", { description: "Says that the tools changed." }, () => {
        toolsChanged();
        return { content: [{ type: "text", text: "Told everybody." }] };
      });
      return server.server;
    },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
    extraHosts: [`127.0.0.1:${proxyPort}`],
  });
  toolsChanged = () => endpoint.toolsChanged();
  process.stdin.resume().once("end", () => void endpoint.close().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ port: endpoint.port, token })}\n`);
}

void main();
