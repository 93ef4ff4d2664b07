/** How much of a child's stderr is kept to say why it ended, in characters. */
export const LAST_WORDS_CHARS = 4_000;
/** A line longer than this is cut in the log, in characters. */
const LOG_LINE_CHARS = 2_000;

export interface LastWords {
  readonly take: (text: string) => void;
  /** The end of what was said. */
  readonly text: string;
}

/**
 * Keeps the end of a child's stderr, and passes each whole line on.
 * @param onLine gets every line, cut to a bounded length
 */
export function lastWords(onLine: (line: string) => void): LastWords {
  let kept = "";
  let open = "";
  return {
    take(text) {
      kept = (kept + text).slice(-LAST_WORDS_CHARS);
      const lines = (open + text).split("\n");
      open = (lines.pop() ?? "").slice(0, LOG_LINE_CHARS);
      for (const line of lines) if (line.trim() !== "") onLine(line.slice(0, LOG_LINE_CHARS));
    },
    get text() {
      return kept.trim();
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
  return words === "" ? `The ${name} ${how}.` : `The ${name} ${how}. Its last words:\n${words}`;
}
