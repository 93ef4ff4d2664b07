import { readChildLine, type ChildLine } from "./child-log.ts";

/** How much of a child's stderr is kept to say why it ended, in characters. */
export const LAST_WORDS_CHARS = 4_000;
/** A line is read up to here, in characters; what follows is dropped. */
const READ_LINE_CHARS = 16_384;
/** A line longer than this is cut in the log, in characters. */
const LOG_LINE_CHARS = 2_000;

export interface LastWords {
  readonly take: (text: string) => void;
  /** The end of what was said, in words. */
  readonly text: string;
}

/**
 * Keeps the end of a child's stderr, and passes each whole line on.
 * @param name of the child, as its own lines may begin
 * @param onLine gets every line, cut to a bounded length
 */
export function lastWords(name: string, onLine: (line: ChildLine) => void): LastWords {
  let kept = "";
  let open = "";
  return {
    take(text) {
      const lines = (open + text).split("\n");
      open = (lines.pop() ?? "").slice(0, READ_LINE_CHARS);
      for (const raw of lines) {
        if (raw.trim() === "") continue;
        const { level, message } = readChildLine(raw.slice(0, READ_LINE_CHARS), name);
        const line = { level, message: message.slice(0, LOG_LINE_CHARS) };
        kept = `${kept}${line.message}\n`.slice(-LAST_WORDS_CHARS);
        onLine(line);
      }
    },
    get text() {
      return (kept + readChildLine(open, name).message).slice(-LAST_WORDS_CHARS).trim();
    },
  };
}

/** One sentence about how a child ended, with its last words where there are any. */
export function endSentence(
  name: string,
  end: { code: number | null; signal: string | null },
  words: string,
): string {
  const how = end.signal === null ? `ended with code ${end.code ?? "?"}` : `was ended by ${end.signal}`;
  return withWords(`The ${name} ${how}`, words);
}

/**
 * A sentence, and the last words of whom it is about: behind a colon when they are one line, below it otherwise.
 * @param sentence without its full stop
 */
export function withWords(sentence: string, words: string): string {
  if (words === "") return stopped(sentence);
  return words.includes("\n")
    ? `${stopped(sentence)} Its last words:\n${words}`
    : stopped(`${sentence}: ${words}`);
}

const stopped = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
