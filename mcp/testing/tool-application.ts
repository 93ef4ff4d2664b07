import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/v4";
import type { RealEngine } from "./real-engine.ts";

/** A tool as an application declares it to the engine. */
export type DeclaredTool = {
  readonly name: string;
  readonly description?: string;
  readonly schema?: unknown;
  /** Instead of `schema`, as it is. */
  readonly schemaText?: string;
  readonly timeoutMs?: number;
};

/** What a handler answers with: `output`, or `error`. A promise that never resolves never answers. */
export type ToolHandler = (input: unknown) => object | Promise<object>;

/** One version of an application named `shop`, on an address of its own. */
export type ToolApplication = {
  readonly callbackUrl: string;
  /** The inputs that handlers were given, by tool. */
  readonly calls: [tool: string, input: unknown][];
  /** Handlers by qualified name. */
  readonly handlers: Map<string, ToolHandler>;
  /** Declares these tools and no others. @returns status and body of the engine's answer */
  register(tools: readonly DeclaredTool[]): Promise<{ status: number; body: Record<string, unknown> }>;
  close(): Promise<void>;
};

const Body = z.strictObject({ qualified_name: z.string(), input: z.unknown() });

/**
 * A real application handler: it takes only what the engine signed with the secret of its registration, as the contract
 * says (section 2.13), and answers what its handlers say.
 */
export async function toolApplication(engine: RealEngine): Promise<ToolApplication> {
  const calls: [string, unknown][] = [];
  const handlers = new Map<string, ToolHandler>();
  let secret = "";
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if (!isSigned(text, request.headers, secret)) {
        response.writeHead(401).end();
        return;
      }
      const { qualified_name: name, input } = Body.parse(JSON.parse(text));
      calls.push([name, input]);
      const handler = handlers.get(name) ?? (() => ({ output: null }));
      Promise.resolve(handler(input)).then(
        (answer) => response.setHeader("content-type", "application/json").end(JSON.stringify(answer)),
        () => response.writeHead(500).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ironflow/agent-tools/dispatch`;
  return {
    callbackUrl,
    calls,
    handlers,
    async register(tools) {
      const answer = await fetch(`${engine.url}/ironflow.v1.AgentToolsService/RegisterTool`, {
        method: "POST",
        headers: { authorization: `Bearer ${engine.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ agentName: "shop", callbackUrl, tools: tools.map(wireOf) }),
      });
      const body = (await answer.json()) as Record<string, unknown>;
      if (answer.ok) secret = String(body["hmacSecret"]);
      return { status: answer.status, body };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const wireOf = ({ name, description, schema, schemaText, timeoutMs }: DeclaredTool): object => ({
  name,
  description: description ?? `Does ${name}.`,
  inputSchemaJson: schemaText ?? (schema === undefined ? "" : JSON.stringify(schema)),
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

function isSigned(body: string, headers: IncomingHttpHeaders, secretHex: string): boolean {
  const time = String(headers["x-ironflow-timestamp"] ?? "");
  const hmac = createHmac("sha256", Buffer.from(secretHex, "hex")).update(`${time}.${body}`).digest("hex");
  const wanted = Buffer.from(`sha256=${hmac}`);
  const given = Buffer.from(String(headers["x-ironflow-signature"] ?? ""));
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}
