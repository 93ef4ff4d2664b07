import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { TextDecoder } from "node:util";
import type { TerminalSession } from "./contract/api.ts";
import type { TranscriptFormat } from "./contract/port.ts";
import type { OutputLog } from "./output-log.ts";
import { answerRead, type Readable } from "./reader.ts";
import type { Timeline } from "./timeline.ts";

const PIECE_BYTES = 262_144;

export interface Recorded extends Readable {
  readonly timeline: Timeline;
}

/**
 * Writes what is kept of a session's output to `path`, for its owner only, as a whole or not at all.
 * @throws Error when it cannot be written
 */
export async function writeTranscript(
  session: Recorded,
  format: TranscriptFormat,
  path: string,
): Promise<void> {
  const beside = `${path}.${process.pid}.part`;
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      for await (const text of format === "text" ? plain(session) : asciicast(session))
        await write(file, text);
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
}

async function write(file: FileHandle, text: string): Promise<void> {
  await file.write(text);
}

async function* plain(session: Recorded): AsyncGenerator<string> {
  const never = new AbortController().signal;
  // What is printed while it is written may come faster than it can be written.
  const { end } = session.log;
  for (let offset = 0; ;) {
    const query = { offset, limit: PIECE_BYTES, format: "text", wait_ms: 0 } as const;
    const page = await answerRead(session, query, never);
    yield page.output;
    offset = page.next;
    if (!page.has_more) {
      yield page.unfinished_line ?? "";
      return;
    }
    if (offset >= end) return;
  }
}

/** One header line, then `[seconds, "o", text]` per piece: docs.asciinema.org/manual/asciicast/v2. */
async function* asciicast(session: Recorded): AsyncGenerator<string> {
  const { log, timeline } = session;
  const snapshot = session.snapshot();
  yield `${JSON.stringify(headerOf(snapshot))}\n`;
  const beganMs = Date.parse(snapshot.started_at);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let second = 0;
  for (const { bytes, atMs } of pieces(log, timeline, beganMs)) {
    second = Math.max(second, (atMs - beganMs) / 1_000);
    const text = decoder.decode(bytes, { stream: true });
    if (text !== "") yield `${JSON.stringify([second, "o", text])}\n`;
  }
  const rest = decoder.decode();
  if (rest !== "") yield `${JSON.stringify([second, "o", rest])}\n`;
}

function headerOf({ size, started_at, shell, command }: TerminalSession) {
  const timestamp = Math.floor(Date.parse(started_at) / 1_000);
  return { version: 2, width: size.cols, height: size.rows, timestamp, command, env: { SHELL: shell } };
}

function* pieces(log: OutputLog, timeline: Timeline, beganMs: number) {
  const points = [...timeline.points];
  const end = log.end;
  for (let index = -1; index < points.length; index += 1) {
    const { offset, atMs } = points[index] ?? { offset: 0, atMs: beganMs };
    const until = points[index + 1]?.offset ?? end;
    for (let from = offset; ;) {
      // What is read more slowly than it is printed may be gone by now.
      from = Math.max(from, log.start);
      if (from >= until) break;
      const { bytes, offset: first } = log.read(from, Math.min(PIECE_BYTES, until - from));
      yield { bytes, atMs };
      from = first + bytes.length;
    }
  }
}
