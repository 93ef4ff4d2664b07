import type { Readable } from "node:stream";

/**
 * Calls `onLine` for every complete line of a UTF-8 stream, without its line feed. A line over `maxChars` is skipped whole and
 * reported as undefined, so one bad writer costs neither memory nor the lines behind it.
 */
export function readLines(
  stream: Readable,
  maxChars: number,
  onLine: (line: string | undefined) => void,
): void {
  let pending = "";
  let skipping = false;
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const [first = "", ...rest] = chunk.split("\n");
    let line = first;
    for (const next of rest) {
      if (skipping || pending.length + line.length > maxChars) onLine(undefined);
      else onLine(pending + line);
      skipping = false;
      pending = "";
      line = next;
    }
    skipping ||= pending.length + line.length > maxChars;
    pending = skipping ? "" : pending + line;
  });
}
