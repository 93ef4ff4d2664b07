import { open } from "node:fs/promises";
import { AuditRow, type AuditQuery } from "../contract/audit.ts";

export type AuditFilter = AuditQuery;

/** So much of a file is read at once, in bytes; between two reads main does other things. */
const BLOCK_BYTES = 256 * 1024;
/** Longer than any line that is written; what is longer is no line of ours. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Rows that match, newest first.
 * @param files from the newest to the oldest; one that is not there is skipped
 * @throws the file system's error
 */
export async function queryAudit(files: readonly string[], filter: AuditFilter): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  const sinceMs = filter.since === undefined ? undefined : Date.parse(filter.since);
  for (const file of files) {
    for await (const line of linesFromTheEnd(file)) {
      const row = readRow(line);
      if (row === undefined || !matches(row, filter)) continue;
      if (sinceMs !== undefined && Date.parse(row.time) < sinceMs) continue;
      rows.push(row);
      if (rows.length === filter.limit) return rows;
    }
  }
  return rows;
}

function matches(row: AuditRow, { event, user, tool, call_id: callId }: AuditFilter): boolean {
  if (user !== undefined && row.user !== user) return false;
  if (tool !== undefined && row.detail["tool"] !== tool) return false;
  if (callId !== undefined && row.detail["call_id"] !== callId) return false;
  if (event === undefined) return true;
  return event.endsWith(".") ? row.event.startsWith(event) : row.event === event;
}

/** Undefined for a line that was torn, or that is none of ours. */
function readRow(line: string): AuditRow | undefined {
  try {
    const parsed = AuditRow.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

async function* linesFromTheEnd(path: string): AsyncGenerator<string> {
  const file = await open(path, "r").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw cause;
  });
  if (file === undefined) return;
  try {
    let end = (await file.stat()).size;
    /** The beginning of a line whose front is in an earlier block. */
    let rest = Buffer.alloc(0);
    while (end > 0) {
      const start = Math.max(0, end - BLOCK_BYTES);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      const block = Buffer.concat([buffer.subarray(0, bytesRead), rest]);
      end = start;
      let to = block.length;
      for (
        let at = block.lastIndexOf(NEWLINE);
        at >= 0;
        at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)
      ) {
        if (at + 1 < to) yield block.toString("utf8", at + 1, to);
        to = at;
      }
      rest = to > MAX_LINE_BYTES ? Buffer.alloc(0) : Buffer.from(block.subarray(0, to));
    }
    if (rest.length > 0) yield rest.toString("utf8");
  } finally {
    await file.close();
  }
}
