import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export type Answer = {
  content: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
};

/** What a person at the client does when asked, or undefined for a client that cannot ask. */
export type Person =
  | ((message: string) => { action: "accept" | "decline" | "cancel"; confirm?: boolean })
  | undefined;

/** What tests need of any MCP client. */
export type AnyClient = {
  /** Of the server, where the client started it. */
  readonly pid: number | null;
  listTools(): Promise<{ tools: { name: string }[] }>;
  call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
};

export type Connect = (server: Server, person?: Person) => Promise<AnyClient>;

/** One that the client starts, or one that serves HTTP already. */
export type Server =
  | { readonly args: string[]; readonly env?: Record<string, string> }
  | { readonly url: string; readonly token: string };

const INFO = { name: "test", version: "1" };

const parameters = ({ args, env = {} }: Extract<Server, { args: string[] }>) => ({
  command: process.execPath,
  args,
  env,
  stderr: "ignore" as const,
});

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

const content = (confirm: boolean | undefined) => (confirm === undefined ? {} : { content: { confirm } });

async function connectV1(server: Server, person?: Person): Promise<AnyClient> {
  const transport =
    "url" in server ? new HttpV1(new URL(server.url), bearer(server.token)) : new StdioV1(parameters(server));
  const client = new ClientV1(INFO, { capabilities: person === undefined ? {} : { elicitation: {} } });
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      const { action, confirm } = person(params.message);
      return { action, ...content(confirm) };
    });
  await client.connect(transport);
  return {
    pid: "pid" in transport ? transport.pid : null,
    listTools: () => client.listTools(),
    call: (name, args, meta) =>
      client.callTool({
        name,
        arguments: args,
        ...(meta === undefined ? {} : { _meta: meta }),
      }) as Promise<Answer>,
    close: () => client.close(),
  };
}

const connectV2 =
  (mode: "legacy" | "auto" | { pin: string }) =>
  async (server: Server, person?: Person): Promise<AnyClient> => {
    const transport =
      "url" in server
        ? new HttpV2(new URL(server.url), bearer(server.token))
        : new StdioV2(parameters(server));
    const client = new ClientV2(INFO, {
      capabilities: person === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode },
    });
    if (person !== undefined)
      client.setRequestHandler("elicitation/create", ({ params }) => {
        const { action, confirm } = person(params.message);
        return { action, ...content(confirm) };
      });
    await client.connect(transport);
    return {
      pid: "pid" in transport ? transport.pid : null,
      listTools: () => client.listTools(),
      call: (name, args, meta) =>
        client.callTool({ name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }),
      close: () => client.close(),
    };
  };

/** One client per SDK and protocol era. */
export const CLIENTS = [
  { name: "SDK v1", connect: connectV1 },
  { name: "SDK v2, handshake", connect: connectV2("legacy") },
  { name: "SDK v2, negotiating", connect: connectV2("auto") },
  { name: "SDK v2, 2026-07-28", connect: connectV2({ pin: "2026-07-28" }) },
] as const;

/** The JSON in an answer's text. */
export const textOf = (answer: Answer): unknown => {
  const [block] = answer.content as { text: string }[];
  return JSON.parse(block?.text ?? "");
};
