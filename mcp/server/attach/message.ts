import * as z from "zod/v4";

/** Of a JSON-RPC message only what decides its way; the text itself goes on as it came. */
const Routed = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.string().optional().catch(undefined),
      uri: z.string().optional().catch(undefined),
      requestId: z.union([z.string(), z.number()]).optional().catch(undefined),
      protocolVersion: z.string().optional().catch(undefined),
      notifications: z.looseObject({ toolsListChanged: z.boolean().optional() }).optional().catch(undefined),
      _meta: z.looseObject({}).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  result: z
    .looseObject({ protocolVersion: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional().catch(undefined),
});

export interface Message {
  readonly routed: z.output<typeof Routed>;
  /** One line of JSON, every digit as it came. */
  readonly text: string;
}

export type MessageId = string | number;

const VERSION_META_KEY = "io.modelcontextprotocol/protocolVersion";

/** @returns undefined for what is no JSON-RPC message */
export function readMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = Routed.safeParse(value);
  // A line break can only be white space between tokens: inside a JSON string it would be escaped.
  return parsed.success ? { routed: parsed.data, text: text.replaceAll(/[\r\n]+/g, " ") } : undefined;
}

/** The revision that a message of the stateless era names; undefined in the handshake era. */
export function statelessVersion({ routed }: Message): string | undefined {
  const version = routed.params?._meta?.[VERSION_META_KEY];
  return typeof version === "string" ? version : undefined;
}

export const isRequest = ({ routed }: Message): boolean => routed.method !== undefined && hasId(routed.id);
export const isAnswerTo = ({ routed }: Message, id: MessageId): boolean =>
  routed.method === undefined && routed.id === id;
export const hasId = (id: MessageId | null | undefined): id is MessageId => id !== undefined && id !== null;

/** What the stateless era wants to see in the headers as well. */
export function statelessHeaders(message: Message, version: string): Record<string, string> {
  const { method, params } = message.routed;
  const name = params?.name ?? params?.uri;
  return {
    "mcp-protocol-version": version,
    ...(method === undefined ? {} : { "mcp-method": method }),
    ...(name === undefined ? {} : { "mcp-name": headerValue(name) }),
  };
}

/** As the revision encodes what a header cannot carry. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?")) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
