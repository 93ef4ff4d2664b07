import { describe, expect, it } from "vitest";
import type { FromBridge } from "../../bridge/contract/port.ts";
import { handClock } from "../testing/hand-clock.ts";
import { pendingAnswers } from "./pending-answers.ts";

const closed = (answer: boolean): FromBridge => ({
  type: "closed",
  session_id: "term_12345678",
  closed: answer,
});

describe("answers of the bridge", () => {
  it("reach those who asked, in order, and only them", async () => {
    const answers = pendingAnswers(handClock().clock);
    const first = answers.wait("closed a");
    const second = answers.wait("closed a");
    answers.settle("closed b", closed(false));
    answers.settle("closed a", closed(true));
    answers.settle("closed a", closed(false));
    answers.settle("closed a", closed(true));
    expect([await first, await second]).toEqual([closed(true), closed(false)]);
  });

  it("are not waited for for ever", async () => {
    const time = handClock();
    const answer = pendingAnswers(time.clock).wait("closed a");
    await time.move(60_000);
    expect(await answer).toBeUndefined();
  });

  it("do not come any more once the bridge is gone", async () => {
    const answers = pendingAnswers(handClock().clock);
    const before = answers.wait("closed a");
    answers.close();
    expect(await before).toBeUndefined();
    expect(await answers.wait("closed a")).toBeUndefined();
  });
});
