import type { Clock } from "../loopback/clock.ts";
import type { TerminalSize } from "./contract/api.ts";
import { readableEnd } from "./escape-scanner.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { OutputLog } from "./output-log.ts";
import { QUESTION_CHARS, QuestionWatch } from "./question-watch.ts";
import { terminalAnswers } from "./terminal-answers.ts";

/** Where the cursor is follows from so much of the output before, in bytes. */
const BEFORE_BYTES = 65_536;
/** Who printed more than this since has gone on without an answer, in bytes. */
const GIVEN_UP_BYTES = 4_096;
/** Who is to be told more than this reads none of it, in chars. */
const MAX_ANSWER_CHARS = 256;
/** To find an answer takes a few ms, and this long at most where the output is made to be slow. */
const PARSE_BUDGET_MS = 300;
/** How much longer nothing is answered then. */
const REST_PER_PARSE = 10;
/** Between answers, in ms. */
const GAP_MS = 40;
/** The same for a program that asks again and again. */
const LATER_GAP_MS = 500;
const ASKS_IN_A_ROW = 16;
/** After so long without a question it is not again and again, in ms. */
const ROW_ENDS_MS = 2_000;
/** Between looks whether somebody waits, in ms: a script that asks and then begins to read keys has begun by the last. */
const LOOK_GAPS_MS = [GAP_MS, 40, 80, 160, 320, 640, 1_280];
/** Looks start a program each, and answers parse what was printed: one at a time each, whoever asks. */
const looks = new OneAtATime();
const answers = new OneAtATime();

/** Offsets in the log. */
interface Range {
  from: number;
  to: number;
}

export interface UnseenQuestionsOptions {
  log: OutputLog;
  clock: Clock;
  size: () => TerminalSize;
  /** Its program takes keys as they come, and is no shell at its prompt. */
  takesAnswers: () => Promise<boolean>;
  /** Types the answers. */
  answer: (text: string) => void;
  /** A fault of ours: the question stays without an answer. */
  problem: (error: unknown) => void;
}

/**
 * Answers what programs ask a terminal that no tab shows, as the tab would: a program that asks where its cursor is waits
 * for that, for ever or for seconds, whoever looks. What a tab shows is answered by the tab, and nothing is answered twice.
 * An answer that nobody waits for would be typed into a shell: who takes lines, or prints on, gets none.
 */
export class UnseenQuestions {
  readonly #options: UnseenQuestionsOptions;
  readonly #watch = new QuestionWatch();
  readonly #closed = new AbortController();
  /** Where the unseen output ended that was looked at last. */
  #unseenTo = 0;
  /** Unseen output from the first question on that has no answer yet. */
  #asked: Range | undefined;
  #answering = false;
  #asksInARow = 0;
  #restedSinceMs = 0;
  #parsedMs = 0;

  constructor(options: UnseenQuestionsOptions) {
    this.#options = options;
  }

  /** These bytes, at this offset of the log, go to no tab. */
  unseen(bytes: Buffer, offset: number): void {
    if (this.#closed.signal.aborted) return; // of a process that outlived the leader or its tab
    if (this.#unseenTo !== offset) this.#watch.follow(this.#before(offset));
    const to = offset + bytes.length;
    this.#unseenTo = to;
    const at = this.#watch.take(bytes);
    const asked = this.#asked;
    if (asked?.to === offset && to - asked.from <= GIVEN_UP_BYTES) asked.to = to;
    else this.#asked = at === undefined ? undefined : { from: offset + at, to };
    if (this.#asked !== undefined && !this.#answering) void this.#answerAll(); // never rejects
  }

  /** What was printed from this offset on was to be shown in a tab, and is not. */
  unsent(offset: number): void {
    const { log } = this.#options;
    const from = Math.max(offset, log.start, log.end - GIVEN_UP_BYTES);
    if (from < log.end) this.unseen(log.read(from, log.end - from).bytes, from);
  }

  /** Nothing is answered any more. */
  close(): void {
    this.#closed.abort();
    this.#asked = undefined;
  }

  /** What a question may have begun in that goes on at this offset. */
  #before(offset: number): Buffer {
    const { log } = this.#options;
    const from = Math.max(log.start, offset - QUESTION_CHARS);
    return log.read(from, offset - from).bytes;
  }

  async #answerAll(): Promise<void> {
    const { clock, problem } = this.#options;
    this.#answering = true;
    if (clock.nowMs() - this.#restedSinceMs > ROW_ENDS_MS) this.#asksInARow = 0;
    while (this.#asked !== undefined) {
      this.#asksInARow += 1;
      this.#parsedMs = 0;
      try {
        await this.#answer();
      } catch (error) {
        problem(error);
      }
      const gapMs = this.#asksInARow < ASKS_IN_A_ROW ? GAP_MS : LATER_GAP_MS;
      await clock.sleep(Math.max(gapMs, REST_PER_PARSE * this.#parsedMs), this.#closed.signal);
    }
    this.#restedSinceMs = clock.nowMs();
    this.#answering = false;
  }

  async #answer(): Promise<void> {
    const waits = await this.#isWaitedFor();
    const from = this.#open();
    const to = this.#asked?.to ?? 0;
    this.#asked = undefined;
    if (!waits || from === undefined || from >= to) return;
    const text = await answers.run(() => this.#answersTo({ from, to }));
    if (text === "" || text.length > MAX_ANSWER_CHARS) return;
    // It may have stopped waiting meanwhile.
    if (!(await this.#takesAnswers()) || this.#firstOpen(from) !== from) return;
    if (!this.#closed.signal.aborted) this.#options.answer(text);
  }

  async #answersTo(asked: Range): Promise<string> {
    const { log, size, clock } = this.#options;
    const from = Math.max(log.start, asked.from - BEFORE_BYTES);
    // Where it is part of a string it is none.
    const begin = log.textFrom(from);
    if (begin === undefined || begin > asked.from) return "";
    const { bytes, dropped } = log.read(begin, asked.to - begin);
    if (dropped > 0) return "";
    const beganMs = clock.nowMs();
    const text = await terminalAnswers(
      {
        before: bytes.subarray(0, asked.from - begin),
        asks: bytes.subarray(asked.from - begin),
        modes: log.modesAt(begin),
        size: size(),
      },
      { budgetMs: PARSE_BUDGET_MS, signal: this.#closed.signal },
    );
    this.#parsedMs = clock.nowMs() - beganMs;
    return text;
  }

  async #isWaitedFor(): Promise<boolean> {
    for (const gapMs of LOOK_GAPS_MS) {
      if (this.#open() === undefined) return false;
      const takes = await this.#takesAnswers();
      // A program that just begins to take keys prints its prompt meanwhile.
      await this.#options.clock.sleep(takes ? GAP_MS : gapMs, this.#closed.signal);
      if (takes) return true;
    }
    return false;
  }

  #takesAnswers(): Promise<boolean> {
    return looks.run(() => this.#options.takesAnswers());
  }

  #open(): number | undefined {
    return this.#asked === undefined ? undefined : this.#firstOpen(this.#asked.from);
  }

  /**
   * Where the first question begins, from this offset on, that nothing to read follows, seen or not, nor the beginning of a
   * sequence that may hide it: a shell's prompt, say. Who prints on does not wait.
   */
  #firstOpen(from: number): number | undefined {
    const { log } = this.#options;
    if (log.end - from > GIVEN_UP_BYTES) return undefined;
    const { bytes } = log.read(from, log.end - from);
    const end = readableEnd(bytes);
    if (end === undefined) return undefined;
    const at = new QuestionWatch().take(bytes.subarray(end));
    return at === undefined ? undefined : from + end + at;
  }
}
