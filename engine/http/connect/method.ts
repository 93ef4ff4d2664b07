import type * as z from "zod/v4";
import type { Call } from "../call.ts";

/** One Connect method: how its request is read and what it answers (a protojson message). */
export interface ConnectMethod {
  /** Members that hold the caller's own JSON. */
  opaque: ReadonlySet<string>;
  /** @throws ZodError, ApiError */
  run(call: Call, message: unknown): Promise<Record<string, unknown>> | Record<string, unknown>;
}

/** Ties a request schema to its handler, so that the handler gets what the schema lets through. */
export function method<Schema extends z.ZodType>(
  schema: Schema,
  handle: (call: Call, input: z.output<Schema>) => Promise<Record<string, unknown>> | Record<string, unknown>,
  opaque: readonly string[] = [],
): ConnectMethod {
  return { opaque: new Set(opaque), run: (call, message) => handle(call, schema.parse(message)) };
}
