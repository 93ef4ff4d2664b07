import type { Readable } from "node:stream";

/** A row holds payloads of at most 8 MiB, each of whose characters JSON may write as six. */
const maxLineChars = 256 * 1024 * 1024;

/** The lines of a UTF-8 text without their line feeds, one at a time. @throws Error for a line that is too long */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  input.setEncoding("utf8");
  let pending = "";
  for await (const chunk of input as AsyncIterable<string>) {
    const parts = (pending + chunk).split("\n");
    pending = parts.pop() ?? "";
    if (pending.length > maxLineChars) throw new Error(`a line is over ${maxLineChars} characters`);
    yield* parts;
  }
  if (pending !== "") yield pending;
}
