import { describe, expect, it } from "vitest";
import { TERMINAL_LIMITS } from "./contract/api.ts";
import { FLOW } from "./contract/flow.ts";
import { ToTab } from "./contract/port.ts";
import { LOG_BLOCK_BYTES } from "./block-pool.ts";
import { OutputLog } from "./output-log.ts";
import { Tab, TAB_CATCH_UP_BYTES, TAB_MESSAGE_BYTES } from "./tab.ts";

/** One turn of the event loop: what was scheduled is sent. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A tab that somebody looks at, unless told otherwise. */
function setUp(log = new OutputLog(), visible = true) {
  const sent: ToTab[] = [];
  const typed: string[] = [];
  const sizes: unknown[] = [];
  const problems: string[] = [];
  const unsent: number[] = [];
  const source = {
    log,
    ended: false,
    takes: true,
    type(text: string) {
      if (this.takes) typed.push(text);
      return this.takes;
    },
    resize: (size: unknown) => {
      sizes.push(size);
    },
  };
  let fromTab: (message: unknown) => void = () => {};
  let goAway = () => {};
  let closes = 0;
  let gone = 0;
  const port = {
    // What goes out must be what the contract says.
    post: (message: ToTab) => void sent.push(ToTab.parse(message)),
    onMessage: (listener: (message: unknown) => void) => void (fromTab = listener),
    onClose: (listener: () => void) => void (goAway = listener),
    close: () => void (closes += 1),
  };
  const tab = new Tab(port, source, {
    close: () => void (gone += 1),
    problem: (text) => void problems.push(text),
    unsent: (offset) => void unsent.push(offset),
  });
  if (visible) fromTab({ type: "visible", visible });
  const data = () => sent.flatMap((message) => (message.type === "data" ? [message] : []));
  return {
    tab,
    log,
    source,
    sent,
    typed,
    sizes,
    problems,
    unsent,
    data,
    chars: () => data().reduce((sum, message) => sum + message.chars.length, 0),
    text: () =>
      data()
        .map((message) => message.chars)
        .join(""),
    print: (text: string | Uint8Array) => {
      log.append(typeof text === "string" ? Buffer.from(text) : text);
      tab.outputArrived();
    },
    say: (message: unknown) => {
      fromTab(message);
    },
    goAway: () => {
      goAway();
    },
    counts: () => ({ closes, gone }),
  };
}

describe("a tab", () => {
  it("gets a replay of what is kept, then what comes", async () => {
    const log = new OutputLog();
    log.append(Buffer.from("before"));
    const { sent, print } = setUp(log);
    print("after");
    await turn();
    expect(sent).toEqual([
      { type: "data", chars: "before", replay: true },
      { type: "data", chars: "after", replay: false },
    ]);
  });

  it("counts as hidden until it says that it is seen: its view may have gone before its port came", async () => {
    const log = new OutputLog();
    log.append(Buffer.from("before"));
    const { tab, sent, print, say } = setUp(log, false);
    print("after");
    await turn();
    expect([sent, tab.isShown]).toEqual([[], false]);
    say({ type: "visible", visible: true });
    print("live");
    await turn();
    expect(tab.isShown).toBe(true);
    expect(sent).toEqual([
      { type: "data", chars: "beforeafter", replay: true },
      { type: "data", chars: "live", replay: false },
    ]);
  });

  it("gets in one message what arrived in one turn", async () => {
    const { data, print } = setUp();
    for (let piece = 0; piece < 100; piece += 1) print("x");
    await turn();
    expect(data()).toEqual([{ type: "data", chars: "x".repeat(100), replay: false }]);
  });

  it("[B-SHOW-4] gets the same text wherever characters and escape sequences are cut", async () => {
    const bytes = Buffer.from("ä€😀\u001b[31mred\u001b[0m\u001b]0;title\u0007日");
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { print, text } = setUp();
      print(bytes.subarray(0, cut));
      await turn();
      print(bytes.subarray(cut));
      await turn();
      expect(text()).toBe(bytes.toString());
    }
  });

  it("[B4] whose replay ends in half a character gets the whole one once its rest has come", async () => {
    const log = new OutputLog();
    log.append(Buffer.from("a€").subarray(0, 2));
    const { print, data, text } = setUp(log);
    await turn();
    expect(text()).toBe("a");
    print(Buffer.from("€b").subarray(1));
    await turn();
    expect(text()).toBe("a€b");
    expect(data().map(({ replay }) => replay)).toEqual([true, false]);
  });

  it("[B4] whose replay ends in what only looks like characters goes on with what comes", async () => {
    for (const end of [
      [0xc3, 0xc3],
      [0xf0, 0xe2, 0x82],
      [0xe2, 0xc3],
    ]) {
      const log = new OutputLog();
      log.append(Uint8Array.from([0x61, ...end]));
      const { print, text } = setUp(log);
      await turn();
      expect(text()).toMatch(/^a\ufffd?$/);
      print("b");
      await turn();
      expect(text()).toBe(Buffer.from([0x61, ...end, 0x62]).toString());
    }
  });

  it("gets half a character at the end only when nothing more will come", async () => {
    const { print, text, source, tab } = setUp();
    print(Uint8Array.from([0x61, 0xe2, 0x82]));
    await turn();
    expect(text()).toBe("a");
    source.ended = true;
    tab.outputArrived();
    await turn();
    expect(text()).toBe("a\ufffd");
    tab.outputArrived();
    await turn();
    expect(text()).toBe("a\ufffd");
  });

  it("is held above the high mark, and goes on where it was once it has acknowledged enough", async () => {
    const { print, chars, say } = setUp();
    print("x".repeat(4_000_000));
    await turn();
    const first = chars();
    expect(first).toBeGreaterThan(FLOW.holdAboveChars);
    expect(first).toBeLessThanOrEqual(FLOW.holdAboveChars + TAB_MESSAGE_BYTES);
    say({ type: "ack", chars: first - FLOW.sendBelowChars, replay: false });
    await turn();
    expect(chars()).toBe(first);
    say({ type: "ack", chars: 1, replay: false });
    await turn();
    expect(chars()).toBeGreaterThan(first);
    let acknowledged = first - FLOW.sendBelowChars + 1;
    for (let turns = 0; turns < 100; turns += 1) {
      say({ type: "ack", chars: chars() - acknowledged, replay: false });
      acknowledged = chars();
      await turn();
    }
    expect(chars()).toBe(4_000_000);
  });

  it("[B4] that acknowledges a replay gets no more live output for it, and none of the other way round", async () => {
    const log = new OutputLog();
    log.append(Buffer.alloc(2 * FLOW.holdAboveChars, "r"));
    const { print, data, chars, say } = setUp(log);
    await turn();
    const replayed = chars();
    expect(replayed).toBeLessThanOrEqual(FLOW.holdAboveChars + TAB_MESSAGE_BYTES);
    say({ type: "ack", chars: replayed, replay: false });
    await turn();
    expect(chars()).toBe(replayed);
    say({ type: "ack", chars: replayed, replay: true });
    print("x".repeat(3 * FLOW.holdAboveChars));
    await turn();
    const live = () => data().reduce((sum, { replay, chars: text }) => sum + (replay ? 0 : text.length), 0);
    const held = live();
    expect(held).toBeGreaterThan(FLOW.holdAboveChars);
    say({ type: "ack", chars: FLOW.holdAboveChars, replay: true });
    await turn();
    expect(live()).toBe(held);
    say({ type: "ack", chars: held, replay: false });
    await turn();
    expect(live()).toBeGreaterThan(held);
  });

  it("[B4] costs nothing while it is hidden, and has missed nothing when it is shown: that is a replay", async () => {
    const { print, data, say, text, sent } = setUp();
    await turn();
    say({ type: "visible", visible: false });
    const before = sent.length;
    for (let line = 0; line < 1_000; line += 1) print(`${line}\n`);
    await turn();
    expect(sent).toHaveLength(before);
    say({ type: "visible", visible: true });
    await turn();
    const missed = Array.from({ length: 1_000 }, (_, line) => `${line}\n`).join("");
    expect(text()).toBe(missed);
    say({ type: "visible", visible: true });
    print("live");
    await turn();
    expect(text()).toBe(`${missed}live`);
    expect(data().map(({ replay }) => replay)).toEqual([true, false]);
  });

  it("that fell behind what is kept is told how much it missed and goes on near the newest byte", async () => {
    const log = new OutputLog({ memoryBytes: 64 * LOG_BLOCK_BYTES });
    const { print, data, chars, say } = setUp(log);
    print("first");
    await turn();
    say({ type: "visible", visible: false });
    for (let block = 0; block < 100; block += 1) print(Buffer.alloc(LOG_BLOCK_BYTES, "x"));
    say({ type: "visible", visible: true });
    await turn();
    const resumed = data()[1];
    expect(resumed?.dropped_bytes).toBe(log.end - TAB_CATCH_UP_BYTES - "first".length);
    while (chars() < "first".length + TAB_CATCH_UP_BYTES) {
      say({ type: "ack", chars: FLOW.holdAboveChars * 2, replay: true });
      await turn();
    }
    expect(
      data()
        .slice(2)
        .every((message) => message.dropped_bytes === undefined),
    ).toBe(true);
  });

  it("that comes late is told what is no longer kept and gets all the rest", async () => {
    const log = new OutputLog({ memoryBytes: 2 * LOG_BLOCK_BYTES });
    log.append(Buffer.alloc(LOG_BLOCK_BYTES - 1, "x"));
    log.append(Buffer.from("€"));
    log.append(Buffer.alloc(LOG_BLOCK_BYTES, "y"));
    const { data } = setUp(log);
    await turn();
    // The rest of the character whose beginning is gone goes too.
    expect(data()[0]).toMatchObject({ dropped_bytes: LOG_BLOCK_BYTES + 2, replay: true });
    expect(data()[0]?.chars).toMatch(/^y+$/);
  });

  it("that comes late is not sent the rest of a title whose beginning is gone", async () => {
    const log = new OutputLog({ memoryBytes: 2 * LOG_BLOCK_BYTES });
    log.append(Buffer.from(`\u001b]0;${"t".repeat(2 * LOG_BLOCK_BYTES)}\u0007text`));
    const { data, text } = setUp(log);
    await turn();
    expect(text()).toBe("text");
    expect(data()[0]).toMatchObject({ dropped_bytes: log.end - "text".length, replay: true });
  });

  it("that comes late is told first what its terminal still heeds of what is gone", async () => {
    const log = new OutputLog({ memoryBytes: 2 * LOG_BLOCK_BYTES });
    log.append(Buffer.from("\u001b[?1049h\u001b[?1h\u001b[?2004h"));
    log.append(Buffer.alloc(4 * LOG_BLOCK_BYTES, "x"));
    const { data } = setUp(log);
    await turn();
    expect(data()[0]?.chars.split("x", 1)).toEqual(["\u001b[?1049h\u001b[?1h\u001b[?2004h"]);
    expect(data()[1]?.chars).toMatch(/^x+$/);
  });

  it("types and resizes", () => {
    const { say, typed, sizes } = setUp();
    say({ type: "input", text: "ls\r" });
    say({ type: "resize", size: { cols: 100, rows: 30 } });
    expect(typed).toEqual(["ls\r"]);
    expect(sizes).toEqual([{ cols: 100, rows: 30 }]);
  });

  it("types a long paste as one, and is told when nothing of it was taken", () => {
    const { say, source, typed, sent } = setUp();
    const paste = "x".repeat(TERMINAL_LIMITS.waitingInputBytes);
    say({ type: "input", text: paste });
    expect(typed.map(({ length }) => length)).toEqual([paste.length]);
    source.takes = false;
    say({ type: "input", text: paste });
    expect(sent).toEqual([{ type: "refused", chars: paste.length }]);
    source.ended = true;
    say({ type: "input", text: "x" });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [{ type: "ack", chars: -1 }, "chars: "],
    [{ type: "ack" }, "chars: "],
    [{ type: "input", text: "x".repeat(TERMINAL_LIMITS.waitingInputBytes + 1) }, "text: "],
    [{ type: "resize", size: { cols: 1, rows: 30 } }, "size.cols: "],
    [{ type: "visible", visible: "yes" }, "visible: "],
    [{ type: "kill" }, "type: "],
    [{ type: "input", text: "x", extra: 1 }, "extra"],
    ["ack", "message from a tab"],
    [null, "message from a tab"],
  ])("does nothing on a message that is not understood, and names the field: %j", async (message, named) => {
    const { say, typed, sizes, problems, sent } = setUp();
    await turn();
    const before = sent.length;
    say(message);
    await turn();
    expect([typed, sizes, sent.length]).toEqual([[], [], before]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(named);
  });

  it("does nothing after its port was closed, by either side", async () => {
    const left = setUp();
    left.goAway();
    expect(left.counts()).toEqual({ closes: 0, gone: 1 });
    const closed = setUp();
    closed.tab.close();
    expect(closed.counts()).toEqual({ closes: 1, gone: 0 });
    for (const { print, say, sent, typed } of [left, closed]) {
      const before = sent.length;
      print("x");
      say({ type: "input", text: "x" });
      await turn();
      expect([sent.length, typed]).toEqual([before, []]);
    }
  });

  it("tells from where on nothing was shown when nobody looks any more, once", async () => {
    const { print, say, unsent, goAway, log } = setUp();
    print("before the tab");
    await turn();
    print("shown");
    await turn();
    say({ type: "visible", visible: false });
    expect(unsent).toEqual([log.end]);
    print("while it is hidden");
    say({ type: "visible", visible: true });
    say({ type: "visible", visible: false });
    expect(unsent).toEqual([log.end - 18, log.end]);
    goAway();
    expect(unsent).toHaveLength(2);
  });
});
