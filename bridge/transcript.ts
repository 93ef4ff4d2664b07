import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TextDecoder } from "node:util";
import type { TerminalSession, TerminalSize } from "./contract/api.ts";
import type { TranscriptFormat } from "./contract/port.ts";
import { textStart, type OutputLog } from "./output-log.ts";
import { textRead, type Readable } from "./reader.ts";
import type { SizeChange, SizeHistory } from "./size-history.ts";
import { sequencesOf } from "./terminal-modes.ts";
import type { Timeline } from "./timeline.ts";

const PIECE_BYTES = 262_144;

export interface Recorded extends Readable {
  readonly timeline: Timeline;
  readonly sizes: SizeHistory;
  /** Whole, where the snapshot's may be cut. */
  readonly request: { readonly command: string };
}

/**
 * Writes what is kept of a session's output to `path`, for its owner only, as a whole or not at all.
 * @param closing gives it up, as does the end of its tab
 * @throws Error when it cannot be written, and the signal's reason when it was given up
 */
export async function writeTranscript(
  session: Recorded,
  format: TranscriptFormat,
  path: string,
  closing: AbortSignal,
): Promise<void> {
  const mayGoOn = () => {
    closing.throwIfAborted();
    if (session.log.disposed) throw new Error("its tab was closed");
  };
  mayGoOn();
  // A name of its own: the person's may be as long as a name can be, and two may be on their way to the same.
  const beside = join(dirname(path), `.${randomUUID()}.part`);
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      for await (const text of format === "text" ? plain(session) : asciicast(session)) {
        mayGoOn();
        await file.appendFile(text);
      }
      mayGoOn();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (cause) {
    // Where it cannot be removed either, there is nothing else to say than why it could not be written.
    await rm(beside, { force: true }).catch(() => {});
    throw cause;
  }
}

async function* plain(session: Recorded): AsyncGenerator<string> {
  // What is printed meanwhile is not waited for: of a flood there would be no end.
  const { end } = session.log;
  for (let offset = 0; ;) {
    const page = await textRead(session, offset, PIECE_BYTES);
    if (page.dropped > 0) yield `${missing(page.dropped)}\n`;
    yield page.output;
    offset = page.next;
    if (!page.has_more || offset >= end) {
      yield page.unfinished_line ?? "";
      return;
    }
  }
}

/**
 * One header line, then `[seconds, "o", text]` per piece and `[seconds, "r", "COLSxROWS"]` per resize:
 * docs.asciinema.org/manual/asciicast/v2.
 */
async function* asciicast(session: Recorded): AsyncGenerator<string> {
  const { log, timeline } = session;
  const snapshot = session.snapshot();
  const beganMs = Date.parse(snapshot.started_at);
  const { size, changes } = session.sizes.from(log.start);
  const parts = partsOf([{ offset: 0, atMs: beganMs }, ...changes, ...timeline.points], log, log.end);
  yield `${JSON.stringify(headerOf(snapshot, session.request.command, size))}\n`;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let second = 0;
  for (const { atMs, ...part } of parts) {
    second = Math.max(second, (atMs - beganMs) / 1_000);
    if ("size" in part) {
      yield `${JSON.stringify([second, "r", `${part.size.cols}x${part.size.rows}`])}\n`;
      continue;
    }
    const text = decoder.decode(part.bytes, { stream: true });
    if (text !== "") yield `${JSON.stringify([second, "o", text])}\n`;
  }
  const rest = decoder.decode();
  if (rest !== "") yield `${JSON.stringify([second, "o", rest])}\n`;
}

function headerOf({ started_at, shell }: TerminalSession, command: string, { cols, rows }: TerminalSize) {
  const timestamp = Math.floor(Date.parse(started_at) / 1_000);
  return { version: 2, width: cols, height: rows, timestamp, command, env: { SHELL: shell } };
}

/** What is known of when output came, and what it was printed for. */
type Mark = { offset: number; atMs: number } | SizeChange;

/** The output up to `end` and the sizes among it, in their order. */
function* partsOf(marks: readonly Mark[], log: OutputLog, end: number) {
  // What is printed after a resize begins at the same offset: of those, who is named first stays first.
  const ordered = marks.toSorted((a, b) => a.offset - b.offset);
  let at = 0;
  for (const [index, mark] of ordered.entries()) {
    const { atMs } = mark;
    if ("size" in mark) yield { size: mark.size, atMs };
    const until = ordered[index + 1]?.offset ?? end;
    while (at < until) {
      if (at < log.start) {
        const from = textStart(log, log.start);
        const begin = `${missing(from - at)}\r\n${sequencesOf(log.modesAt(from))}`;
        yield { bytes: Buffer.from(begin), atMs };
        at = from;
      } else {
        const { bytes, offset } = log.read(at, Math.min(PIECE_BYTES, until - at));
        yield { bytes, atMs };
        at = offset + bytes.length;
      }
    }
  }
}

const missing = (bytes: number) => `[${bytes.toLocaleString("en")} earlier bytes are no longer kept]`;
