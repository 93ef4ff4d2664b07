import { describe, expect, it } from "vitest";
import type { Clock } from "../loopback/clock.ts";
import type { BridgeAnswer, BridgeRequest, FromBridge } from "./contract/port.ts";
import { answerRequest, type Obeyed } from "./obey.ts";
import type { TabPort } from "./tab.ts";

const ID = "term_abcdefgh";

/** Terminals of which each answer is given by the test. */
function setUp(sessions: Partial<Obeyed> = {}) {
  const posted: FromBridge[] = [];
  const problems: string[] = [];
  /** Wakes whoever sleeps. */
  let wake = () => {};
  const clock: Clock = {
    nowMs: () => 0,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        wake = resolve;
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  let closes = 0;
  const port: TabPort = {
    post: () => {},
    onMessage: () => {},
    onClose: () => {},
    close: () => void (closes += 1),
  };
  const parts = {
    sessions: sessions as Obeyed,
    post: (message: FromBridge) => void posted.push(message),
    clock,
    problem: (text: string) => void problems.push(text),
  };
  return {
    posted,
    problems,
    closes: () => closes,
    ask: (request: BridgeRequest, withPort = false) =>
      answerRequest(request, withPort ? port : undefined, parts),
    wake: async () => {
      wake();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    },
  };
}

const save = (request_id: number, format: "text" | "asciicast"): BridgeRequest => ({
  type: "save",
  request_id,
  session_id: ID,
  format,
  path: `/tmp/out.${format}`,
});

describe("what main asks the bridge for", () => {
  it("is answered by its number, whatever is done first", async () => {
    let textSaved: (problem: string | null) => void = () => {};
    const { ask, posted } = setUp({
      save: (_, format) =>
        format === "text" ? new Promise((resolve) => (textSaved = resolve)) : Promise.resolve(null),
    });
    const text = ask(save(1, "text"));
    await ask(save(2, "asciicast"));
    textSaved("the disk is full");
    await text;
    expect(posted).toEqual<BridgeAnswer[]>([
      { type: "saved", request_id: 2, problem: null },
      { type: "saved", request_id: 1, problem: "the disk is full" },
    ]);
  });

  it("is answered with the reason when it fails, and its port is closed", async () => {
    const { ask, posted, problems, closes } = setUp({
      stop: () => Promise.reject(new Error("no list of processes")),
      attach: () => {
        throw new Error("no log");
      },
    });
    await ask({ type: "stop", request_id: 7, session_id: ID });
    await ask({ type: "attach", request_id: 8, session_id: ID }, true);
    expect(posted).toEqual<BridgeAnswer[]>([
      { type: "failed", request_id: 7, reason: "no list of processes" },
      { type: "failed", request_id: 8, reason: "no log" },
    ]);
    expect(problems).toEqual(["stop: Error: no list of processes", "attach: Error: no log"]);
    expect(closes()).toBe(1);
  });

  it("says that it is at it for as long as a transcript is written", async () => {
    let saved: (problem: string | null) => void = () => {};
    const { ask, posted, wake } = setUp({ save: () => new Promise((resolve) => (saved = resolve)) });
    const asked = ask(save(3, "text"));
    await wake();
    await wake();
    expect(posted).toEqual<BridgeAnswer[]>([
      { type: "at_it", request_id: 3 },
      { type: "at_it", request_id: 3 },
    ]);
    saved(null);
    await asked;
    expect(posted.slice(2)).toEqual<BridgeAnswer[]>([{ type: "saved", request_id: 3, problem: null }]);
  });
});
