import { beforeEach, describe, expect, it } from "vitest";
import { EXPIRES_MS, INERT_MS } from "../contract/consent.ts";
import { handClock } from "../testing/hand-clock.ts";
import { INPUT_FRESH_MS, QUEUE_LIMITS, questionQueue, type QuestionQueue } from "./queue.ts";

let time: ReturnType<typeof handClock>;
let queue: QuestionQueue<string>;
let changes: number;

beforeEach(() => {
  time = handClock();
  changes = 0;
  queue = questionQueue(time.clock, () => void (changes += 1));
});

/** Asks and remembers the outcome. */
function ask(id: string, options: Partial<Parameters<typeof queue.ask>[0]> = {}) {
  const asked = { outcome: "" };
  void queue
    .ask({
      id,
      caller: "claude",
      question: `question ${id}`,
      signal: new AbortController().signal,
      ...options,
    })
    .then((outcome) => (asked.outcome = outcome));
  return asked;
}

/** What happens when a person reads and clicks. */
async function read(): Promise<void> {
  queue.presented();
  await time.move(INERT_MS);
  queue.inputSeen();
}

describe("a question", () => {
  it.each([
    ["approve", "approved"],
    ["decline", "declined"],
  ] as const)("is answered by a person's %s, once", async (answer, outcome) => {
    const asked = ask("a");
    await read();
    expect(queue.answer("a", answer)).toEqual({ taken: true });
    await time.settle();
    expect(asked.outcome).toBe(outcome);
    expect(queue.answer("a", "approve").taken).toBe(false);
    expect(queue.count).toBe(0);
  });

  it("takes no answer before it was presented", async () => {
    const asked = ask("a");
    await time.move(INERT_MS * 10);
    queue.inputSeen();
    expect(queue.answer("a", "approve")).toEqual({ taken: false, reason: "too early: read it first" });
    expect(asked.outcome).toBe("");
  });

  it("takes no answer a millisecond too early, and one on the dot", async () => {
    ask("a");
    queue.presented();
    await time.move(INERT_MS - 1);
    queue.inputSeen();
    expect(queue.answer("a", "approve").reason).toBe("too early: read it first");
    await time.move(1);
    expect(queue.answer("a", "approve").reason).toBe("no input of a person was seen");
    queue.inputSeen();
    expect(queue.answer("a", "approve").taken).toBe(true);
  });

  it("is inert again when its window is focused", async () => {
    ask("a");
    await read();
    queue.presented();
    expect(queue.answer("a", "approve").reason).toBe("too early: read it first");
    await time.move(INERT_MS);
    expect(queue.answer("a", "approve").reason).toBe("no input of a person was seen");
  });

  it("takes no answer without a person's input", async () => {
    ask("a");
    queue.presented();
    await time.move(INERT_MS * 100);
    expect(queue.answer("a", "approve").taken).toBe(false);
    expect(queue.answer("a", "decline").taken).toBe(false);
  });

  it("takes an answer to the millisecond that the input is fresh, and none later", async () => {
    ask("a");
    await read();
    await time.move(INPUT_FRESH_MS + 1);
    expect(queue.answer("a", "approve").reason).toBe("no input of a person was seen");
    queue.inputSeen();
    await time.move(INPUT_FRESH_MS);
    expect(queue.answer("a", "approve").taken).toBe(true);
  });

  it("expires to the millisecond, whatever is answered after that", async () => {
    const asked = ask("a");
    await read();
    await time.move(EXPIRES_MS - INERT_MS - 1);
    expect(asked.outcome).toBe("");
    await time.move(1);
    expect(asked.outcome).toBe("expired");
    expect(queue.answer("a", "approve").taken).toBe(false);
  });

  it("can be made to expire earlier, never later", async () => {
    const early = ask("a", { expiresAfterMs: 1_000 });
    const late = ask("b", { expiresAfterMs: EXPIRES_MS * 2 });
    await time.move(1_000);
    expect([early.outcome, late.outcome]).toEqual(["expired", ""]);
    await time.move(EXPIRES_MS - 1_000);
    expect(late.outcome).toBe("expired");
  });

  it("closes when its caller goes, also one that had gone before it asked", async () => {
    const gone = new AbortController();
    const asked = ask("a", { signal: gone.signal });
    await read();
    gone.abort();
    expect(queue.answer("a", "approve").taken).toBe(false);
    const late = ask("b", { signal: gone.signal });
    await time.settle();
    expect([asked.outcome, late.outcome, queue.count]).toEqual(["caller_gone", "caller_gone", 0]);
  });

  it("is not answered when its window is closed, and the next one comes up", async () => {
    const first = ask("a");
    const second = ask("b");
    queue.dismissed();
    await time.settle();
    expect([first.outcome, second.outcome]).toEqual(["not_answered", ""]);
    expect(queue.top?.id).toBe("b");
  });

  it("is closed without an answer when it is withdrawn, and no other one is", async () => {
    const [a, b, c] = [ask("a"), ask("b"), ask("c")];
    await read();
    queue.withdraw((question) => question !== "question b");
    await time.settle();
    expect([a.outcome, b.outcome, c.outcome]).toEqual(["not_answered", "", "not_answered"]);
    expect(queue.answer("b", "approve").taken, "what was seen of the one before counts no more").toBe(false);
  });

  it("ends with the app, and none is taken after that", async () => {
    const first = ask("a");
    const second = ask("b");
    queue.close();
    const third = ask("c");
    await time.settle();
    expect([first.outcome, second.outcome, third.outcome]).toEqual([
      "app_closed",
      "app_closed",
      "app_closed",
    ]);
  });
});

describe("several questions", () => {
  it("are answered in order, and only the one on top", async () => {
    const first = ask("a");
    const second = ask("b");
    await read();
    expect(queue.answer("b", "approve")).toEqual({ taken: false, reason: "this question is not on top" });
    queue.answer("a", "approve");
    await time.settle();
    expect([first.outcome, second.outcome]).toEqual(["approved", ""]);
  });

  it("need an input each: the click for one is none for the next", async () => {
    ask("a");
    ask("b");
    await read();
    queue.answer("a", "approve");
    expect(queue.answer("b", "approve").taken).toBe(false);
    queue.presented();
    await time.move(INERT_MS);
    expect(queue.answer("b", "approve").reason).toBe("no input of a person was seen");
  });

  it("lose what was seen when the one on top goes away by itself", async () => {
    const gone = new AbortController();
    ask("a", { signal: gone.signal });
    ask("b");
    await read();
    gone.abort();
    expect(queue.answer("b", "approve").reason).toBe("too early: read it first");
  });

  it("let one that is asked anew come first, inert again", async () => {
    ask("a");
    await read();
    ask("b", { first: true });
    expect(queue.top?.id).toBe("b");
    expect(queue.answer("b", "approve").taken).toBe(false);
  });

  it("are bounded for one caller and for all", async () => {
    for (let at = 0; at < QUEUE_LIMITS.perCaller; at += 1) ask(`a${at}`);
    const more = ask("more");
    for (let at = QUEUE_LIMITS.perCaller; at < QUEUE_LIMITS.all; at += 1)
      ask(`b${at}`, { caller: `caller ${at}` });
    const another = ask("another", { caller: "another" });
    await time.settle();
    expect([more.outcome, another.outcome]).toEqual(["full", "full"]);
    expect(queue.count).toBe(QUEUE_LIMITS.all);
  });

  it("tell of every change", async () => {
    ask("a");
    ask("b");
    queue.dismissed();
    expect(changes).toBe(3);
  });
});
