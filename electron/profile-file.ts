import type * as z from "zod/v4";
import { keepAside, readFileIfThere, writeFileAtomic } from "./atomic-file.ts";

export interface ProfileFile<T> {
  /** What the file held, or the start value when there was none or it could not be understood. */
  readonly value: T;
  /** Set when the file could not be understood: what was wrong and where it is kept now, in a sentence. */
  readonly problem: string | undefined;
  /** Replaces the value, on disk first. */
  save(value: T): void;
}

/**
 * One JSON file of the profile: parsed by a schema when it is opened, written as a whole. A file that cannot be
 * understood is kept aside and named, never overwritten.
 */
export function openProfileFile<T>(
  path: string,
  schema: z.ZodType<T>,
  start: T,
  now = new Date(),
): ProfileFile<T> {
  const text = readFileIfThere(path);
  const read = text === undefined ? { value: start } : understand(text, schema);
  let value = "value" in read ? read.value : start;
  const problem =
    "wrong" in read
      ? `${path} could not be read (${read.wrong}); it is kept as ${keepAside(path, now)}`
      : undefined;
  return {
    get value() {
      return value;
    },
    problem,
    save(next) {
      const parsed = schema.parse(next);
      writeFileAtomic(path, `${JSON.stringify(parsed, null, 2)}\n`);
      value = parsed;
    },
  };
}

function understand<T>(text: string, schema: z.ZodType<T>): { value: T } | { wrong: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { wrong: "it is not JSON" };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const issue = parsed.error.issues[0];
  return { wrong: `${issue?.path.join(".") || "the whole"}: ${issue?.message ?? "invalid"}` };
}
