import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod/v4";
import type { ToolError } from "../../../mcp/contract/errors.ts";
import type { Question, ShownValue } from "../../contract/consent.ts";
import { toOutcome } from "../../mcp-endpoint/tool-result.ts";
import { shown, shownTime } from "../visible.ts";

/** What the person is told about one call: what it does, to what, as main has just read it. */
export interface Preview extends Pick<
  Question,
  "title" | "consequence" | "target" | "effects" | "not_reached"
> {
  /** Arguments whose values `target` has in full, in a form that reads better. */
  readonly told?: readonly string[];
  /** The part of the target that must still be the same when the call is forwarded. JSON. */
  readonly watched: unknown;
}

/** Reads through the hub, on the connection of the call, in main's own name. */
export type ReadTool = (tool: string, args: Record<string, unknown>) => Promise<CallToolResult>;

export type Previewer = (args: Record<string, unknown>, read: ReadTool) => Promise<Preview>;

/** The target is not there, or cannot be read: then nobody is asked, because nobody could know what about. */
export class ReadFailed extends Error {
  override readonly name = "ReadFailed";
  readonly error: ToolError;
  constructor(error: ToolError) {
    super(error.error);
    this.error = error;
  }
}

/** @throws ReadFailed */
export async function readAs<T>(
  schema: z.ZodType<T>,
  read: ReadTool,
  tool: string,
  args: Record<string, unknown>,
): Promise<T> {
  const outcome = toOutcome(await read(tool, args));
  if (!outcome.ok) throw new ReadFailed(outcome.error);
  const parsed = schema.safeParse(outcome.data);
  if (parsed.success) return parsed.data;
  throw new ReadFailed({
    error: `What is to be changed could not be read: ${tool} answered in an unknown form. Nothing was changed.`,
    code: "internal",
    retryable: false,
  });
}

/** The same; undefined when there is no such thing. */
export async function readIfThere<T>(...read: Parameters<typeof readAs<T>>): Promise<T | undefined> {
  try {
    return await readAs(...read);
  } catch (cause) {
    if (cause instanceof ReadFailed && cause.error.code === "not_found") return undefined;
    throw cause;
  }
}

export const notFound = (what: string): ReadFailed =>
  new ReadFailed({
    error: `There is no ${what}. Nothing was changed.`,
    code: "not_found",
    retryable: false,
  });

/** `1 step`, `3 steps`, `at least 500 rows` */
export const count = (number: number | string, what: string, atLeast = false): string =>
  `${atLeast ? "at least " : ""}${number} ${what}${String(number) === "1" ? "" : "s"}`;

export const optionalRow = (label: string, text: string | undefined): ShownValue[] =>
  text === undefined ? [] : [shown(label, text)];

export const optionalTime = (label: string, at: string | undefined): ShownValue[] =>
  at === undefined ? [] : [shownTime(label, at)];
