import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
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

/** What tests need of any MCP client on a stdio server. */
export type AnyClient = {
  readonly pid: number | null;
  listTools(): Promise<{ tools: { name: string }[] }>;
  call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
};

export type Connect = (server: Server, person?: Person) => Promise<AnyClient>;

export type Server = { readonly args: string[]; readonly env?: Record<string, string> };

const INFO = { name: "test", version: "1" };

const parameters = ({ args, env = {} }: Server) => ({
  command: process.execPath,
  args,
  env,
  stderr: "ignore" as const,
});

const content = (confirm: boolean | undefined) => (confirm === undefined ? {} : { content: { confirm } });

async function connectV1(server: Server, person?: Person): Promise<AnyClient> {
  const transport = new StdioV1(parameters(server));
  const client = new ClientV1(INFO, { capabilities: person === undefined ? {} : { elicitation: {} } });
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      const { action, confirm } = person(params.message);
      return { action, ...content(confirm) };
    });
  await client.connect(transport);
  return {
    pid: transport.pid,
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
    const transport = new StdioV2(parameters(server));
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
      pid: transport.pid,
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
