import type { OutputQuery, OutputResponse, TerminalSession } from "./contract/api.ts";
import { EscapeScanner, TEXT_STATE, type EscapeState } from "./escape-scanner.ts";
import { PastTheEnd, readText, type LogRead, type OutputLog } from "./output-log.ts";
import { plainText, screenText, textRange } from "./plain-text.ts";
import { modesAfter, NEW_TERMINAL } from "./terminal-modes.ts";
import { TextFinder } from "./text-finder.ts";
import { wholeCharacters } from "./utf8.ts";

/** What is read from. */
export interface Readable {
  readonly log: OutputLog;
  /** Nothing more will be printed. */
  readonly ended: boolean;
  snapshot(): TerminalSession;
  /** Calls back at more output and at every change of the session. @returns the way to stop that */
  onActivity(listener: () => void): () => void;
}

/** Plain text of less than this is not worth a read of its own, and escape sequences are not cut in it, in bytes. */
const TEXT_MIN_BYTES = 4_096;
/** A few bytes can move the cursor far: text may be so many times longer than its bytes before it is read in halves. */
const TEXT_MAX_GROWTH = 4;
/** So much of the output makes a screen. */
const SCREEN_BYTES = 1024 * 1024;
/** In one turn of the event loop so much is looked through, for a text or its end: other terminals have theirs in between. */
const SEARCH_BYTES = 1024 * 1024;
/** Of so many that read one terminal it is remembered what they were told; who is forgotten may be told a line once more. */
const MAX_READERS = 32;
/** What begins a string: ESC and another, or a control of two bytes. */
const STRING_LEAD_BYTES = 2;

/**
 * Waits as asked, then reads in the format asked for.
 * @param signal whoever asked has gone: the wait ends
 * @throws PastTheEnd
 */
export async function answerRead(
  source: Readable,
  query: OutputQuery,
  signal: AbortSignal,
): Promise<OutputResponse> {
  const { log } = source;
  if (query.format !== "screen" && query.offset > log.end) throw new PastTheEnd(query.offset, log.end);
  const waited = query.wait_for === undefined ? {} : { waited: await wait(source, query, signal) };
  switch (query.format) {
    case "raw":
      return { ...rawRead(source, query), ...waited };
    case "text": {
      const { end } = log;
      const text = await textRead(source, query.offset, query.limit);
      if (!text.has_more && !signal.aborted) tell(log, query.reader, { next: text.next, end });
      return { ...text, ...waited };
    }
    case "screen":
      return { ...(await screenRead(source)), ...waited };
  }
}

/** @throws PastTheEnd */
function rawRead(source: Readable, { offset, limit }: Pick<OutputQuery, "offset" | "limit">): OutputResponse {
  const { text, more, ...read } = readText(source.log, offset, limit, source.ended);
  return { ...stateOf(source), ...read, output: text, has_more: more };
}

/**
 * Whole lines of what a person would read, and apart from them the line that is not finished yet. Strings in escape
 * sequences are passed over, however many and however long, in turns between which other terminals have theirs.
 * @throws PastTheEnd
 */
export async function textRead(source: Readable, offset: number, limit: number): Promise<OutputResponse> {
  const { log } = source;
  let begin = { offset, dropped: 0 };
  let at = offset;
  let most = Math.max(limit, TEXT_MIN_BYTES);
  /** The sequence in whose middle `at` is, once that is known. */
  let within: EscapeState | undefined;
  /** Where it began, or the reading. */
  let opened = offset;
  let passedInTurn = 0;
  for (;;) {
    const { ended } = source;
    const state = stateOf(source);
    const read = log.read(at, most);
    // What was evicted since the last turn is gone as well.
    if (within === undefined || read.dropped > 0) {
      begin = { offset: read.offset, dropped: read.offset - offset };
      within = read.bytes.length === 0 ? TEXT_STATE : log.escapeAt(read.offset);
      opened = read.offset;
    }
    const scanner = new EscapeScanner(within);
    let passed = 0;
    if (within === TEXT_STATE) {
      const page = await textPage(log, read, ended);
      if (typeof page !== "string") return { ...state, ...begin, ...page };
      if (page === "too long") {
        most = Math.max(Math.floor(read.bytes.length / 2), TEXT_MIN_BYTES);
        continue;
      }
      opened = read.offset;
      passed = scanner.take(read.bytes.subarray(0, STRING_LEAD_BYTES));
    }
    passed += scanner.take(read.bytes.subarray(passed), true);
    at = read.offset + passed;
    within = scanner.state;
    if (at === log.end && within !== TEXT_STATE) {
      // Where it has no end yet, nothing can be read before there is one.
      if (!ended)
        return { ...state, ...begin, output: "", next: opened, has_more: false, unfinished_line: "" };
      within = TEXT_STATE;
    }
    passedInTurn += read.bytes.length;
    if (passedInTurn < SEARCH_BYTES) continue;
    passedInTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type TextPage = Pick<OutputResponse, "output" | "next" | "has_more" | "unfinished_line">;

/**
 * The text of bytes that begin outside of escape sequences. `in a string`: all of them are the beginning of one. `too long`:
 * they are to be read in halves.
 */
async function textPage(
  log: OutputLog,
  read: LogRead,
  ended: boolean,
): Promise<TextPage | "in a string" | "too long"> {
  const { end } = log;
  const atEnd = read.offset + read.bytes.length === end;
  const modes = read.bytes.length === 0 ? NEW_TERMINAL : log.modesAt(read.offset);
  if (ended && atEnd) {
    const { text, unfinished } = await plainText(read.bytes, modes);
    const output = text + unfinished;
    if (isTooLong(output, read.bytes)) return "too long";
    return { output, next: end, has_more: false, unfinished_line: "" };
  }
  const bytes = read.bytes.subarray(0, wholeCharacters(read.bytes));
  const range = textRange(bytes);
  if (range.opens && !atEnd) return "in a string";
  const hasLines = range.skip === 0 && range.length > 0 && bytes[range.length - 1] === 0x0a;
  // At the end of what there is so far, a line without its break may still be redrawn.
  const { skip, length } = !hasLines && atEnd ? { skip: 0, length: 0 } : range;
  const { text, unfinished } = await plainText(
    bytes.subarray(skip, length),
    modesAfter(bytes.subarray(0, skip), modes),
  );
  const output = hasLines && unfinished !== "" ? `${text}${unfinished}\n` : text + unfinished;
  if (isTooLong(output, bytes)) return "too long";
  const rest = atEnd
    ? await plainText(bytes.subarray(length), modesAfter(bytes.subarray(0, length), modes))
    : undefined;
  return {
    output,
    next: read.offset + length,
    has_more: !atEnd,
    unfinished_line: rest === undefined ? "" : rest.text + rest.unfinished,
  };
}

function isTooLong(text: string, bytes: Uint8Array): boolean {
  return bytes.length > TEXT_MIN_BYTES && text.length > TEXT_MAX_GROWTH * bytes.length;
}

async function screenRead(source: Readable): Promise<OutputResponse> {
  const { log } = source;
  const from = Math.max(log.start, log.end - SCREEN_BYTES);
  const { bytes } = log.read(from, SCREEN_BYTES);
  // Not in the middle of a sequence, where more was printed than is looked at.
  const begin = log.textFrom(from) ?? log.end;
  const modes = log.modesAt(begin);
  const state = stateOf(source);
  const offset = from + bytes.length;
  const { lines, cursor, full_screen } = await screenText(
    bytes.subarray(begin - from),
    source.snapshot().size,
    modes,
  );
  return {
    ...state,
    output: lines.join("\n"),
    offset,
    next: offset,
    has_more: false,
    dropped: 0,
    cursor,
    full_screen,
  };
}

function stateOf(source: Pick<Readable, "snapshot">) {
  const { session_id, status, exit_code, signal, reason } = source.snapshot();
  return { session_id, status, exit_code, signal, reason };
}

function wait(
  source: Readable,
  query: OutputQuery,
  signal: AbortSignal,
): Promise<"met" | "ended" | "time_over"> {
  const { log } = source;
  const { isMet, isBehind } = conditionOf(source, query);
  const asked = log.end;
  return new Promise((resolve) => {
    let stopListening: () => void = () => {};
    let timer: NodeJS.Timeout | undefined;
    let next: NodeJS.Immediate | undefined;
    let isLate = false;
    const finish = (how: "met" | "ended" | "time_over") => {
      clearTimeout(timer);
      clearImmediate(next);
      stopListening();
      signal.removeEventListener("abort", giveUp);
      resolve(how);
    };
    const giveUp = () => finish("time_over");
    const look = () => {
      if (isMet()) finish("met");
      else if (isLate && !isBehind(asked)) giveUp();
      else if (isBehind(log.end)) next = setImmediate(look);
      else if (source.ended) finish("ended");
    };
    const lookOnceMore = () => {
      clearImmediate(next);
      look();
    };
    // What was there when it was asked is looked through, however little time was given.
    const timeIsOver = () => {
      isLate = true;
      if (!isBehind(asked)) giveUp();
    };
    timer = setTimeout(timeIsOver, query.wait_ms);
    stopListening = source.onActivity(lookOnceMore);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    else look();
  });
}

interface Condition {
  isMet: () => boolean;
  /** Not all up to this offset was looked through: that goes on in the next turn of the event loop. */
  isBehind: (until: number) => boolean;
}

function conditionOf(source: Readable, query: OutputQuery): Condition {
  const { log } = source;
  const atOnce = (isMet: () => boolean): Condition => ({ isMet, isBehind: () => false });
  if (query.wait_for === "exit") return atOnce(() => source.ended);
  if (query.wait_for === "output" || query.text === undefined)
    return atOnce(query.format === "text" ? textComes(source, query) : () => log.end > query.offset);
  const finder = new TextFinder(query.text);
  let searched = query.offset;
  return {
    isMet: () => {
      if (searched >= log.end) return false;
      const { bytes, offset } = log.read(searched, SEARCH_BYTES);
      if (offset > searched) finder.forget();
      searched = offset + bytes.length;
      return finder.findsIn(bytes);
    },
    isBehind: (until) => searched < until,
  };
}

/** The last text that was read to the end of the output: where the next one begins, and the end of the output then. */
interface Told {
  readonly next: number;
  readonly end: number;
}

/** By reader, who was told last at the end. It goes with the log. */
const told = new WeakMap<OutputLog, Map<string, Told>>();

function tell(log: OutputLog, reader: string, what: Told): void {
  const readers = told.get(log) ?? new Map<string, Told>();
  told.set(log, readers);
  readers.delete(reader);
  readers.set(reader, what);
  const [oldest] = readers.keys();
  if (readers.size > MAX_READERS && oldest !== undefined) readers.delete(oldest);
}

/**
 * `next` of a text stays before a line that is not finished: who goes on from there has been told it, as far as it was
 * printed then, and only more of it is new, or that it waits for somebody.
 */
function textComes(source: Readable, { offset: from, reader }: OutputQuery): () => boolean {
  const { log } = source;
  const before = told.get(log)?.get(reader);
  const seen = before?.next === from ? before.end : from;
  return () => log.end > seen || (log.end > from && source.snapshot().status === "waiting_input");
}
