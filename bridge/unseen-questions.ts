import type { Clock } from "../loopback/clock.ts";
import type { TerminalSize } from "./contract/api.ts";
import { EscapeScanner } from "./escape-scanner.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { OutputLog } from "./output-log.ts";
import { QuestionWatch } from "./question-watch.ts";
import { terminalAnswers } from "./terminal-answers.ts";

/** Where the cursor is follows from so much of the output before, in bytes. */
const BEFORE_BYTES = 16_384;
/** Who printed more than this since has gone on without an answer, in bytes. */
const GIVEN_UP_BYTES = 4_096;
/** Between looks and between answers, in ms. */
const GAP_MS = 40;
/** The same for a program that asks again and again. */
const LATER_GAP_MS = 500;
const ASKS_IN_A_ROW = 16;
/** After so long without a question it is not again and again, in ms. */
const ROW_ENDS_MS = 2_000;
/** A script that asks and then begins to read keys has begun by then. */
const LOOKS = 6;
/** Looks start a program each, and answers parse what was printed: one at a time, whoever asks. */
const turns = new OneAtATime();

export interface UnseenQuestionsOptions {
  log: OutputLog;
  clock: Clock;
  size: () => TerminalSize;
  /** The program takes keys as they come, not lines. */
  takesKeys: () => Promise<boolean>;
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
  /** Unseen output from the first question on that has no answer yet. */
  #asked: { from: number; to: number } | undefined;
  #answering = false;
  #asksInARow = 0;
  #restedSinceMs = 0;

  constructor(options: UnseenQuestionsOptions) {
    this.#options = options;
  }

  /** These bytes, at this offset of the log, go to no tab. */
  unseen(bytes: Buffer, offset: number): void {
    if (this.#closed.signal.aborted) return; // of a process that outlived the leader or its tab
    const to = offset + bytes.length;
    const at = this.#watch.take(bytes);
    const asked = this.#asked;
    if (asked?.to === offset && to - asked.from <= GIVEN_UP_BYTES) asked.to = to;
    else this.#asked = at === undefined ? undefined : { from: offset + at, to };
    if (this.#asked !== undefined && !this.#answering) void this.#answerAll(); // never rejects
  }

  /** A tab shows what is printed now, and answers it. */
  seen(): void {
    this.#watch.forget();
  }

  /** Nothing is answered any more. */
  close(): void {
    this.#closed.abort();
    this.#asked = undefined;
  }

  async #answerAll(): Promise<void> {
    const { clock, problem } = this.#options;
    this.#answering = true;
    if (clock.nowMs() - this.#restedSinceMs > ROW_ENDS_MS) this.#asksInARow = 0;
    while (this.#asked !== undefined) {
      this.#asksInARow += 1;
      try {
        await this.#answer();
      } catch (error) {
        problem(error);
      }
      await clock.sleep(this.#asksInARow < ASKS_IN_A_ROW ? GAP_MS : LATER_GAP_MS, this.#closed.signal);
    }
    this.#restedSinceMs = clock.nowMs();
    this.#answering = false;
  }

  async #answer(): Promise<void> {
    const waits = await this.#isWaitedFor();
    const asked = this.#asked;
    this.#asked = undefined;
    if (!waits || asked === undefined) return;
    const answers = await turns.run(() => this.#answersTo(asked));
    // It may have stopped waiting meanwhile.
    if (answers === "" || !(await this.#takesKeys()) || !this.#isLast(asked)) return;
    if (!this.#closed.signal.aborted) this.#options.answer(answers);
  }

  async #answersTo(asked: { from: number; to: number }): Promise<string> {
    const { log, size } = this.#options;
    const from = Math.max(log.start, asked.from - BEFORE_BYTES);
    // Where it is part of a string it is none.
    const begin = log.textFrom(from);
    if (begin === undefined || begin > asked.from) return "";
    const { bytes, dropped } = log.read(begin, asked.to - begin);
    if (dropped > 0) return "";
    return terminalAnswers({
      before: bytes.subarray(0, asked.from - begin),
      asks: bytes.subarray(asked.from - begin),
      modes: log.modesAt(begin),
      size: size(),
    });
  }

  async #isWaitedFor(): Promise<boolean> {
    for (let look = 0; look < LOOKS && this.#asked !== undefined && this.#isLast(this.#asked); look += 1) {
      const takes = await this.#takesKeys();
      // A shell that just begins to take keys prints its prompt meanwhile.
      await this.#options.clock.sleep(GAP_MS, this.#closed.signal);
      if (takes) return true;
    }
    return false;
  }

  #takesKeys(): Promise<boolean> {
    return turns.run(() => this.#options.takesKeys());
  }

  /** Nothing to read was printed after the question, seen or not, nor hidden in a string: a shell's prompt, say. */
  #isLast({ from }: { from: number }): boolean {
    const { log } = this.#options;
    if (log.end - from > GIVEN_UP_BYTES) return false;
    const scanner = new EscapeScanner();
    const text = scanner.takeText(log.read(from, log.end - from).bytes);
    return !scanner.inString && text.toString("utf8").trim() === "";
  }
}
