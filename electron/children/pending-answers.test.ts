import { describe, expect, it } from "vitest";
import type { BridgeAnswer } from "../../bridge/contract/port.ts";
import { handClock } from "../testing/hand-clock.ts";
import { pendingAnswers } from "./pending-answers.ts";

function setUp() {
  const time = handClock();
  const answers = pendingAnswers(time.clock);
  const asked: number[] = [];
  const send = (id: number) => void asked.push(id);
  /** Number of the request that was sent as the nth. */
  const nth = (index: number) => asked[index] ?? 0;
  return { time, answers, asked, send, nth };
}

const saved = (request_id: number, problem: string | null): BridgeAnswer => ({
  type: "saved",
  request_id,
  problem,
});

/** Heard from the beginning, so that it is nobody's unhandled rejection meanwhile. */
const reasonOf = (asked: Promise<unknown>) => asked.then(() => "an answer came", String);

describe("answers of the bridge", () => {
  it("reach those who asked for them, in whatever order they come, and once", async () => {
    const { answers, send, nth } = setUp();
    const text = answers.ask("saved", send);
    const recording = answers.ask("saved", send);
    answers.settle(saved(nth(1), null));
    answers.settle(saved(nth(0), "the disk is full"));
    answers.settle(saved(nth(0), null));
    expect(await recording).toMatchObject({ problem: null });
    expect(await text).toMatchObject({ problem: "the disk is full" });
  });

  it("are not waited for for ever, and one that comes too late is nobody else's", async () => {
    const { time, answers, send, nth } = setUp();
    const first = answers.ask("closed", send);
    const gaveUp = reasonOf(first);
    await time.move(20_000);
    expect(await gaveUp).toContain("did not answer; whether it was done is not known");
    const second = answers.ask("closed", send);
    answers.settle({ type: "closed", request_id: nth(0), closed: false });
    answers.settle({ type: "closed", request_id: nth(1), closed: true });
    expect(await second).toMatchObject({ closed: true });
  });

  it("are waited for as long as the bridge says that it is at it", async () => {
    const { time, answers, send, nth } = setUp();
    const saving = answers.ask("saved", send);
    for (let sign = 0; sign < 5; sign += 1) {
      await time.move(15_000);
      answers.settle({ type: "at_it", request_id: nth(0) });
    }
    answers.settle(saved(nth(0), null));
    expect(await saving).toMatchObject({ problem: null });

    const silent = answers.ask("saved", send);
    const gaveUp = reasonOf(silent);
    await time.move(15_000);
    answers.settle({ type: "at_it", request_id: nth(1) });
    await time.move(20_000);
    expect(await gaveUp).toContain("did not answer");
    expect(time.sleeping()).toEqual([]);
  });

  it("that say that it failed, or fit another request, are errors", async () => {
    const { answers, send, nth } = setUp();
    const stop = answers.ask("stopped", send);
    answers.settle({ type: "failed", request_id: nth(0), reason: "no list of processes" });
    await expect(stop).rejects.toThrow("no list of processes");
    const rename = answers.ask("renamed", send);
    answers.settle(saved(nth(1), null));
    await expect(rename).rejects.toThrow("answered saved instead of renamed");
  });

  it("do not come any more once the bridge is gone", async () => {
    const { answers, asked, send } = setUp();
    const before = reasonOf(answers.ask("closed", send));
    answers.close();
    expect(await before).toContain("ended; whether it was done");
    await expect(answers.ask("closed", send)).rejects.toThrow("does not run");
    expect(asked).toHaveLength(1);
  });
});
