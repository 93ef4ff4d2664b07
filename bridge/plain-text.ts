import type { IBuffer, IBufferLine, Terminal } from "@xterm/headless";
import type { TerminalSize } from "./contract/api.ts";
import { EscapeScanner } from "./escape-scanner.ts";
import { headlessTerminal, parsed } from "./headless-terminal.ts";
import { NEW_TERMINAL, type Modes } from "./terminal-modes.ts";
import { brokenStart, wholeCharacters } from "./utf8.ts";

/** Wide enough for what programs draw; a longer line is put together again, so no text depends on it. */
const TEXT_COLUMNS = 240;
const TEXT_ROWS = 24;
/** Fed at once: what it makes at most stays below the scrollback, so that nothing scrolls away unread. */
const BATCH_BYTES = 16_384;
const BATCH_LINES = 800;
const SCROLLBACK_LINES = 1_000;
/** From here on a tab may go no further: the last one that goes is at 8 columns before the edge. */
const LAST_TAB_COLUMN = TEXT_COLUMNS - 8;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
/** Of one that is shown as one, whatever it is put together from. */
const CHARACTER_MAX_BYTES = 128;
/** Of a sequence that is no string. */
const SEQUENCE_MAX_BYTES = 4_096;

export interface PlainText {
  /** Finished lines, each with its line break. */
  text: string;
  /** What follows the last line break. */
  unfinished: string;
}

/** What a person would read of these bytes, which begin outside of escape sequences, in a terminal with these modes. */
export async function plainText(printed: Uint8Array, modes: Modes = NEW_TERMINAL): Promise<PlainText> {
  // What a string holds is no text, and a long one would be cut by what we write between batches.
  const bytes = new EscapeScanner().takeWithoutStrings(printed);
  keepFarTabs(bytes);
  const terminal = await headlessTerminal({ cols: TEXT_COLUMNS, rows: TEXT_ROWS }, SCROLLBACK_LINES, modes);
  try {
    let text = "";
    for (let from = 0; from < bytes.length;) {
      const to = endOfBatch(bytes, from);
      await parsed(terminal, bytes.subarray(from, to));
      from = to;
      text += takeScrolled(terminal);
      if (from < bytes.length) await parsed(terminal, "\u001b[3J"); // what was taken goes, the screen stays
    }
    const { normal } = terminal.buffer;
    const lines = linesOf(normal, normal.baseY, normal.baseY + TEXT_ROWS);
    const last = logicalRow(normal, normal.baseY + normal.cursorY);
    const before = lines.slice(0, lastLine(lines, last));
    text += before.map((line) => `${line.text}\n`).join("");
    const rest = lines.slice(before.length).map((line) => line.text);
    while (rest.length > 1 && rest.at(-1) === "") rest.pop();
    return { text, unfinished: rest.join("\n") };
  } finally {
    terminal.dispose();
  }
}

export interface ScreenText {
  lines: string[];
  cursor: { row: number; column: number };
  full_screen: boolean;
}

/** What a terminal of this size, with these modes before, shows after these bytes. */
export async function screenText(
  bytes: Uint8Array,
  size: TerminalSize,
  modes: Modes = NEW_TERMINAL,
): Promise<ScreenText> {
  const terminal = await headlessTerminal(size, 0, modes);
  try {
    await parsed(terminal, bytes);
    const { active } = terminal.buffer;
    const lines = Array.from(
      { length: size.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? "",
    );
    while (lines.length > 0 && lines.at(-1) === "") lines.pop();
    const cursor = { row: active.cursorY, column: active.cursorX };
    return { lines, cursor, full_screen: active.type === "alternate" };
  } finally {
    terminal.dispose();
  }
}

/**
 * How many of `bytes` can be turned into text on their own: up to the last line break, and when there is none, up to where
 * no escape sequence is cut in two. A line that is redrawn again and again (it has carriage returns) is cut where the last
 * redrawing begins, and `skip` tells where the text that stays begins: what was drawn over is not read by anybody.
 * `opens` tells that nothing can: all of it is the beginning of one string.
 */
export function textRange(bytes: Uint8Array): { skip: number; length: number; opens: boolean } {
  const scanner = new EscapeScanner();
  scanner.take(bytes);
  const { afterBreak, openAt, inString } = scanner;
  if (afterBreak > 0) return { skip: 0, length: afterBreak, opens: false };
  // One at the very end may be the first half of a line break.
  const redrawn = scanner.returnBefore(bytes.length - 1);
  if (redrawn > 0) return { skip: redrawn, length: redrawn, opens: false };
  if (openAt !== undefined && inString) return { skip: 0, length: openAt, opens: openAt === 0 };
  return { skip: 0, length: outsideSequence(bytes.length, openAt), opens: false };
}

/** A sequence that is still open at the end is left for the next read, if it is no longer than sequences are. */
function outsideSequence(length: number, openAt: number | undefined): number {
  return openAt === undefined || openAt === 0 || length - openAt > SEQUENCE_MAX_BYTES ? length : openAt;
}

/** A tab at the edge goes nowhere, and what it keeps apart would stick together: a space does as well. */
function keepFarTabs(bytes: Uint8Array): void {
  if (!bytes.includes(TAB)) return;
  let begin = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === NEWLINE || byte === RETURN) begin = at + 1;
    else if (byte === TAB && at - begin >= LAST_TAB_COLUMN) bytes[at] = SPACE;
  }
}

/** Never inside an escape sequence or a character: we write a sequence of our own there. */
function endOfBatch(bytes: Uint8Array, from: number): number {
  const most = Math.min(bytes.length, from + BATCH_BYTES);
  let lines = 0;
  let end = from;
  for (let at = from; at < most && lines < BATCH_LINES; at += 1)
    if (bytes[at] === NEWLINE) {
      lines += 1;
      end = at + 1;
    }
  if (lines === BATCH_LINES || (end > from && most < bytes.length)) return end;
  if (most === bytes.length) return most;
  const outside = from + outsideSequence(...openIn(bytes.subarray(from, most)));
  const before = outsideCharacter(bytes, outside);
  // After a sequence nothing is joined to what was before it.
  return before > from && openIn(bytes.subarray(from, before))[1] === undefined ? before : outside;
}

/** The length, and where the sequence begins that is not complete by then. */
function openIn(bytes: Uint8Array): [number, number | undefined] {
  const scanner = new EscapeScanner();
  return [scanner.take(bytes), scanner.openAt];
}

/** The last place up to `end` where no character begins before it that what follows would be joined to: a mark, an emoji. */
function outsideCharacter(bytes: Uint8Array, end: number): number {
  const before = Buffer.from(bytes.subarray(Math.max(0, end - CHARACTER_MAX_BYTES), end));
  const text = before.toString("utf8", brokenStart(before), wholeCharacters(before));
  const last = [...new Intl.Segmenter().segment(text)].at(-1)?.segment ?? "";
  return end - before.length + wholeCharacters(before) - Buffer.byteLength(last);
}

/** Lines above the screen, whole ones only: nothing can change them any more. */
function takeScrolled(terminal: Terminal): string {
  const { normal } = terminal.buffer;
  return linesOf(normal, 0, normal.baseY)
    .map((line, index, all) =>
      index === all.length - 1 && normal.getLine(normal.baseY)?.isWrapped === true
        ? line.text
        : `${line.text}\n`,
    )
    .join("");
}

interface Line {
  row: number;
  text: string;
}

function linesOf(buffer: IBuffer, from: number, to: number): Line[] {
  const lines: Line[] = [];
  for (let row = from; row < to; row += 1) {
    const line = buffer.getLine(row);
    if (line === undefined) break;
    // Past its end the buffer gives lines that it has let go of.
    const next = row + 1 < buffer.length ? buffer.getLine(row + 1) : undefined;
    const text =
      next?.isWrapped === true
        ? line.translateToString(false, 0, usedColumns(line, next))
        : line.translateToString(true);
    const last = lines.at(-1);
    if (line.isWrapped && last !== undefined) last.text += text;
    else lines.push({ row, text });
  }
  return lines;
}

/** A wide character that no longer fits goes to the next row, and leaves a column that nobody wrote. */
function usedColumns(line: IBufferLine, next: IBufferLine): number {
  const last = line.getCell(line.length - 1);
  const isLeft = last?.getChars() === "" && last.getWidth() === 1 && next.getCell(0)?.getWidth() === 2;
  return isLeft ? line.length - 1 : line.length;
}

function logicalRow(buffer: IBuffer, row: number): number {
  let first = row;
  while (first > buffer.baseY && buffer.getLine(first)?.isWrapped === true) first -= 1;
  return first;
}

/** Index of the line in which the cursor is. */
function lastLine(lines: readonly Line[], row: number): number {
  const index = lines.findIndex((line) => line.row === row);
  return index < 0 ? lines.length : index;
}
