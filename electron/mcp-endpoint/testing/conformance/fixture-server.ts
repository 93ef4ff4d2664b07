import { McpServer } from "@modelcontextprotocol/server";
import { registerAskingTools, requestState } from "./asking-tools.ts";
import { registerPlainTools } from "./plain-tools.ts";
import { registerPrompts, registerResources } from "./prompts-and-resources.ts";

/**
 * What the public conformance suite wants to find behind an endpoint: tools, prompts and resources of fixed names. Mounted
 * by the test build on the endpoint's own code, in the place of the app's tools.
 */
export function fixtureServer(era: "legacy" | "modern"): McpServer {
  const server = new McpServer(
    { name: "ironbridge-conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, ...(era === "legacy" ? { subscribe: true } : {}) },
        logging: {},
        completions: {},
      },
      requestState,
    },
  );
  registerPlainTools(server);
  registerAskingTools(server);
  registerPrompts(server);
  registerResources(server);
  return server;
}
