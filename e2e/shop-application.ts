import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { EngineProcess } from "./engine-process.ts";

/** A tool as the application declares it to the engine. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchemaJson?: string;
}

/** An application named `shop` that serves tools through an engine. */
export interface ShopApplication {
  /** What the engine called it with, each time. */
  readonly calls: unknown[];
  /** Declares these tools and no others from now on. */
  register(tools: readonly DeclaredTool[]): Promise<void>;
  close(): Promise<void>;
}

/** Starts the application; every tool of it answers `{"refunded": true}`. */
export async function shopApplication(engine: EngineProcess): Promise<ShopApplication> {
  const calls: unknown[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      calls.push(JSON.parse(Buffer.concat(parts).toString("utf8")));
      response.end(JSON.stringify({ output: { refunded: true } }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools`;
  return {
    calls,
    async register(tools) {
      const answer = await fetch(`${engine.url}/ironflow.v1.AgentToolsService/RegisterTool`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${engine.key}` },
        body: JSON.stringify({ agentName: "shop", callbackUrl, tools }),
      });
      if (!answer.ok) throw new Error(`the engine refused the tools: ${await answer.text()}`);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
