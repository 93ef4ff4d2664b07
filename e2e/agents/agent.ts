import * as z from "zod/v4";

/** What a scripted agent sees of a tool call, the same in both protocol eras. */
export type CallResult = {
  isError: boolean;
  /** The text blocks, joined by line ends. */
  text: string;
  structured: unknown;
  meta: Record<string, unknown>;
};

export type Agent = {
  era: "handshake" | "2026-07-28";
  listTools(): Promise<string[]>;
  call(
    tool: string,
    args?: Record<string, unknown>,
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<CallResult>;
  close(): Promise<void>;
};

const RawResult = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});

/** Reads an SDK's result into the common shape. */
export function callResult(raw: unknown): CallResult {
  const result = RawResult.parse(raw);
  return {
    isError: result.isError === true,
    text: result.content.flatMap((block) => (block.text === undefined ? [] : [block.text])).join("\n"),
    structured: result.structuredContent,
    meta: result._meta ?? {},
  };
}
