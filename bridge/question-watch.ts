import { ESCAPE } from "./control-bytes.ts";

/**
 * Who waits for an answer does not print much meanwhile: a question is looked for in the last bytes of a piece only. Of
 * output that is all sequences these cost 25 microseconds.
 */
const LOOKED_AT_BYTES = 4_096;
/** No question is longer. */
export const QUESTION_CHARS = 24;
/**
 * What programs ask: what kind of terminal it is (c, >q), where the cursor is and whether it is well (n), how a mode ($p), a
 * setting (DCS $q) or the keyboard (?u) stands. Whether a terminal answers is up to the terminal. No answer looks like this:
 * a program may echo it.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const QUESTION = /\u001b(?:\[(?:[=>]?0?c|\??[1-9]\d{0,2}n|\??\d{1,5}\$p|>0?q|\?u)|P\$q)/;
/** The beginning of one, cut by the end of a piece. */
// oxlint-disable-next-line no-control-regex -- as above
const CUT = /\u001b(?:\[(?:[=>?]?\d{0,5}\$?)?|P\$?)?$/;

/** Finds where output asks the terminal something, also where pieces cut the question. Plain output costs one search. */
export class QuestionWatch {
  #cut = "";

  /** @returns where the first question begins, counted from the first of these bytes: before it when a piece was cut there */
  take(bytes: Buffer): number | undefined {
    if (this.#cut === "" && !bytes.includes(ESCAPE)) return undefined;
    const looked = bytes.subarray(-LOOKED_AT_BYTES);
    const before = looked.length === bytes.length ? this.#cut : "";
    const text = before + looked.toString("latin1");
    this.#cut = CUT.exec(text.slice(-QUESTION_CHARS))?.[0] ?? "";
    const at = text.search(QUESTION);
    return at < 0 ? undefined : at - before.length + bytes.length - looked.length;
  }

  /** What is taken next follows these bytes, and not what was taken. */
  follow(bytes: Buffer): void {
    this.#cut = CUT.exec(bytes.toString("latin1", Math.max(0, bytes.length - QUESTION_CHARS)))?.[0] ?? "";
  }
}
