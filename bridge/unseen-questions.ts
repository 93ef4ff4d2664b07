import type { Clock } from "../loopback/clock.ts";
import type { TerminalSize } from "./contract/api.ts";
import { EscapeScanner } from "./escape-scanner.ts";
import type { OutputLog } from "./output-log.ts";
import { QuestionWatch } from "./question-watch.ts";
import { terminalAnswers } from "./terminal-answers.ts";

/** Where the cursor is follows from so much of the output before, in bytes. */
const BEFORE_BYTES = 65_536;
/** Who printed more than this since has gone on without an answer, in bytes. */
const GIVEN_UP_BYTES = 65_536;
/** Between looks and between answers, in ms: a program that asks all the time takes a tenth of the bridge's time at most. */
const GAP_MS = 40;
/** A script that asks and then begins to read keys has begun by then. */
const LOOKS = 6;

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
    while (this.#asked !== undefined) {
      try {
        await this.#answer();
      } catch (error) {
        problem(error);
      }
      await clock.sleep(GAP_MS, this.#closed.signal);
    }
    this.#answering = false;
  }

  async #answer(): Promise<void> {
    const waits = await this.#isWaitedFor();
    const asked = this.#asked;
    this.#asked = undefined;
    if (!waits || asked === undefined) return;
    const { log, size, answer } = this.#options;
    const from = Math.max(log.start, asked.from - BEFORE_BYTES);
    // Where it is part of a string it is none.
    const begin = log.textFrom(from);
    if (begin === undefined || begin > asked.from) return;
    const { bytes, dropped } = log.read(begin, asked.to - begin);
    if (dropped > 0) return;
    const answers = await terminalAnswers({
      before: bytes.subarray(0, asked.from - begin),
      asks: bytes.subarray(asked.from - begin),
      modes: log.modesAt(begin),
      size: size(),
    });
    if (answers !== "" && !this.#closed.signal.aborted) answer(answers);
  }

  async #isWaitedFor(): Promise<boolean> {
    const { clock, takesKeys } = this.#options;
    for (let look = 0; look < LOOKS && this.#isLast(); look += 1) {
      const takes = await takesKeys();
      // A shell that just begins to take keys prints its prompt meanwhile.
      await clock.sleep(GAP_MS, this.#closed.signal);
      if (takes) return this.#isLast();
    }
    return false;
  }

  /** Nothing to read was printed after the question. A full-screen program draws on. */
  #isLast(): boolean {
    if (this.#asked === undefined) return false;
    const { log } = this.#options;
    const { from, to } = this.#asked;
    if (log.modesAt(to).has("screen")) return true;
    const text = new EscapeScanner().takeText(log.read(from, to - from).bytes);
    return text.toString("utf8").trim() === "";
  }
}
