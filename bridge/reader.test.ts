import { describe, expect, it } from "vitest";
import { OutputQuery, type TerminalSession } from "./contract/api.ts";
import { LOG_BLOCK_BYTES } from "./block-pool.ts";
import { OutputLog } from "./output-log.ts";
import { answerRead, textRead, type Readable } from "./reader.ts";

const never = new AbortController().signal;

function source(log = new OutputLog()) {
  const listeners = new Set<() => void>();
  const state = { ended: false, waits: false };
  const readable: Readable = {
    log,
    get ended() {
      return state.ended;
    },
    snapshot: () =>
      ({
        session_id: "term_abcdefgh",
        status: state.ended ? "exited" : state.waits ? "waiting_input" : "running",
        exit_code: state.ended ? 0 : null,
        signal: null,
        reason: null,
        size: { cols: 80, rows: 24 },
      }) as TerminalSession,
    onActivity: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    readable,
    listeners,
    print: (text: string | Uint8Array) => {
      log.append(Buffer.from(text));
      tell();
    },
    wait: () => {
      state.waits = true;
      tell();
    },
    end: () => {
      state.ended = true;
      tell();
    },
    read: (query: Partial<OutputQuery>, signal = never) =>
      answerRead(readable, OutputQuery.parse(query), signal),
  };
}

/** All text, read as an agent does. */
async function allText(from: ReturnType<typeof source>, limit: number): Promise<string> {
  let text = "";
  let offset = 0;
  for (;;) {
    const page = await from.read({ format: "text", offset, limit });
    text += page.output;
    if (!page.has_more) return text;
    expect(page.next).toBeGreaterThan(offset);
    offset = page.next;
  }
}

const TORTURE =
  "\u001b[1;31mred ä\u001b[0m\r\n\u001b]0;title €\u0007漢字 😀 👨‍👩‍👧\r\n10%\r\u001b[K20%\r\u001b[K100%\r\nplain\r\n\u001b]8;;http://x\u001b\\l\u001b]8;;\u001b\\\r\n";

// Some hundred terminals each: on a busy machine more than the usual 5 s.
describe("plain text by offsets", () => {
  it("[B1] is the same however the bytes arrive: cut at every boundary", async () => {
    const whole = Buffer.from(TORTURE);
    const wanted = "red ä\n漢字 😀 👨‍👩‍👧\n100%\nplain\nl\n";
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const from = source();
      from.print(whole.subarray(0, cut));
      const first = await from.read({ format: "text" });
      from.print(whole.subarray(cut));
      from.end();
      const rest = await from.read({ format: "text", offset: first.next });
      expect(first.output + rest.output).toBe(wanted);
    }
  });

  it("is the same in pages as at once", async () => {
    const from = source();
    for (let line = 0; line < 5_000; line += 1)
      from.print(`\u001b[3${line % 8}mline ${line} äöü\u001b[0m\r\n`);
    from.end();
    const once = await allText(from, 1_048_576);
    expect(once.split("\n")).toHaveLength(5_001);
    expect(await allText(from, 4_096)).toBe(once);
  });

  it("gives the unfinished line apart, until it is finished or the command has ended", async () => {
    const from = source();
    from.print("one\r\nName: ");
    const first = await from.read({ format: "text" });
    expect(first).toMatchObject({ output: "one\n", next: 5, has_more: false, unfinished_line: "Name: " });
    from.print("me\r\n");
    const second = await from.read({ format: "text", offset: 5 });
    expect(second).toMatchObject({ output: "Name: me\n", next: 15, unfinished_line: "" });
    from.print("end");
    from.end();
    expect(await from.read({ format: "text", offset: 15 })).toMatchObject({ output: "end", next: 18 });
  });

  it("goes on through a line without an end, which is redrawn for ever", async () => {
    const from = source();
    for (let step = 0; step < 20_000; step += 1) from.print(`\rstep ${step}`);
    from.print("\r\n");
    from.end();
    expect(await allText(from, 8_192)).toBe("step 19999\n");
  });

  it("stays bounded when a few bytes move the cursor far", async () => {
    const from = source();
    for (let line = 0; line < 8_000; line += 1) from.print("\u001b[230Gx\r\n");
    from.end();
    const page = await from.read({ format: "text", limit: 65_536 });
    expect(page.output.length).toBeLessThan(4 * 65_536 + 1);
    expect(page.has_more).toBe(true);
  });
});

describe("what was told to the terminal before a read", () => {
  it("holds in it: nothing of a full-screen program is text, on whichever page it is", async () => {
    const from = source();
    from.print("before\r\n\u001b[?1049h\u001b[H");
    const first = await from.read({ format: "text" });
    expect(first).toMatchObject({ output: "before\n", unfinished_line: "" });
    let { next } = first;
    for (let frame = 0; frame < 300; frame += 1) {
      from.print(`\u001b[Hframe ${frame}\r\nsecond line\r\n> `);
      const page = await from.read({ format: "text", offset: next });
      expect(page).toMatchObject({ output: "", unfinished_line: "" });
      next = page.next;
    }
    from.print("\u001b[?1049lafter\r\n");
    from.end();
    expect((await from.read({ format: "text", offset: next })).output).toBe("after\n");
    expect(await allText(from, 4_096)).toBe("before\nafter\n");
  });

  it("holds in it: lines are drawn on every page", async () => {
    const from = source();
    from.print(`\u001b(0${"lqqk\r\n".repeat(3_000)}\u001b(Bend\r\n`);
    from.end();
    expect(await allText(from, 4_096)).toBe(`${"┌──┐\n".repeat(3_000)}end\n`);
  });

  it("holds on the screen, however long ago it was", async () => {
    const from = source(new OutputLog({ memoryBytes: 2 * LOG_BLOCK_BYTES }));
    from.print("\u001b[?1049h");
    from.print("\u001b[Hframe\r\n".repeat(40_000));
    expect(await from.read({ format: "screen" })).toMatchObject({ output: "frame", full_screen: true });
    from.print("\u001b[?1049l");
    expect(await from.read({ format: "screen" })).toMatchObject({ output: "", full_screen: false });
  });
});

describe("strings in escape sequences, in plain text", () => {
  const strings = [
    ["DCS", "\u001bPq", "\u001b\\"],
    ["OSC", "\u001b]52;c;", "\u0007"],
    ["OSC ended by ST", "\u001b]1337;File=:", "\u001b\\"],
    ["APC", "\u001b_G", "\u001b\\"],
    ["PM", "\u001b^", "\u001b\\"],
    ["SOS", "\u001bX", "\u001b\\"],
    ["DCS of one character", "\u0090q", "\u009c"],
  ] as const;

  it.each(strings)(
    "[B1] are not text when their beginning is no longer kept: %s",
    async (_what, begin, end) => {
      for (const payload of ["#", "ab\r\n", "äöü"]) {
        const from = source(new OutputLog({ memoryBytes: 2 * LOG_BLOCK_BYTES }));
        from.print(`before\r\n${begin}`);
        from.print(payload.repeat(Math.ceil((4 * LOG_BLOCK_BYTES) / payload.length)));
        const nothing = await from.read({ format: "text" });
        expect(nothing).toMatchObject({ output: "", unfinished_line: "", has_more: false });
        expect((await from.read({ format: "screen" })).output).toBe("");
        from.print(`${end}B\r\nC\r\n`);
        const found = await from.read({ format: "text", offset: nothing.next });
        expect(found).toMatchObject({ output: "B\nC\n", has_more: false });
        expect((await from.read({ format: "text" })).dropped).toBeGreaterThan(LOG_BLOCK_BYTES);
        expect((await from.read({ format: "screen" })).output).toBe("B\nC");
        from.end();
        expect(await allText(from, 4_096)).toBe("B\nC\n");
      }
    },
  );

  it("[B1] are not text when their beginning is no longer kept and they never end", async () => {
    const from = source(new OutputLog({ memoryBytes: 2 * LOG_BLOCK_BYTES }));
    from.print(`before\r\n\u001b]0;${"x".repeat(4 * LOG_BLOCK_BYTES)}`);
    from.end();
    expect(await allText(from, 4_096)).toBe("");
  });

  it.each(strings)("[B1] are not text however long they are: %s", async (_what, begin, end) => {
    for (const payload of ["#".repeat(70_000), "ab\r\n".repeat(400_000), "äöü".repeat(30_000)]) {
      const from = source();
      from.print(`A${begin}${payload}`);
      expect((await from.read({ format: "text" })).output).toMatch(/^A?$/);
      from.print(`${end}B\r\nC\r\n`);
      from.end();
      for (const limit of [4_096, 49_152, 1_048_576]) expect(await allText(from, limit)).toBe("AB\nC\n");
    }
  });

  it.each(strings)("[B1] are not text wherever a read cuts them: %s", async (_what, begin, end) => {
    const whole = Buffer.from(`A${begin}${"x\n".repeat(3)}${end}B\r\n`);
    for (let cut = 0; cut <= whole.length; cut += 1) {
      for (const before of [0, 4_090 - cut]) {
        const from = source();
        from.print("-".repeat(before));
        from.print(whole.subarray(0, cut));
        let text = "";
        let offset = 0;
        for (let more = true; more;) {
          const page = await from.read({ format: "text", offset, limit: 4_096 });
          text += page.output;
          ({ next: offset, has_more: more } = page);
        }
        from.print(whole.subarray(cut));
        from.end();
        for (let more = true; more;) {
          const page = await from.read({ format: "text", offset, limit: 4_096 });
          text += page.output;
          ({ next: offset, has_more: more } = page);
        }
        expect(text).toBe(`${"-".repeat(before)}AB\n`);
      }
    }
  });

  it("[B1] are passed over however many there are, in turns between which others have theirs", async () => {
    const from = source(new OutputLog({ memoryBytes: 1_400 * LOG_BLOCK_BYTES }));
    const string = `\u001b]52;c;${"#".repeat(4_200)}\u0007`;
    from.print("A");
    for (let at = 0; at < 200; at += 1) from.print(string.repeat(100));
    from.print("B\r\n");
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    expect(await allText(from, 4_096)).toBe("AB\n");
    expect(turns).toBeGreaterThan(20);
    turns = 0;
    const open = source(new OutputLog({ memoryBytes: 1_400 * LOG_BLOCK_BYTES }));
    open.print("\u001b]52;c;");
    for (let at = 0; at < 200; at += 1) open.print("#".repeat(400_000));
    expect(await open.read({ format: "text" })).toMatchObject({ output: "", next: 0, has_more: false });
    expect(turns).toBeGreaterThan(20);
    clearImmediate(counting);
  });

  it("[B1] that are evicted while they are passed over count as dropped", async () => {
    const from = source(new OutputLog({ memoryBytes: 64 * LOG_BLOCK_BYTES }));
    const string = `\u001b]52;c;${"#".repeat(4_200)}\u0007`;
    from.print(string.repeat(900));
    const reading = from.read({ format: "text", limit: 4_096 });
    await new Promise((done) => setImmediate(done));
    from.print(`${"-".repeat(99)}\r\n`.repeat(60_000));
    const page = await reading;
    expect(page.dropped).toBeGreaterThan(0);
    expect(page.offset).toBe(page.dropped);
    expect(page.output).toMatch(/^-*\n(-{99}\n)+$/);
  });

  it("shows nothing of one that never ends", async () => {
    const from = source();
    from.print(`A\u001bPq${"#".repeat(200_000)}`);
    const first = await from.read({ format: "text", limit: 65_536 });
    expect(await from.read({ format: "text", offset: first.next, limit: 65_536 })).toMatchObject({
      output: "",
      has_more: false,
      unfinished_line: "",
    });
    from.end();
    expect(await allText(from, 65_536)).toBe("A");
  });
});

describe("waiting", () => {
  it("ends with new output, and not before", async () => {
    const from = source();
    from.print("old");
    const waiting = from.read({ offset: 3, wait_for: "output", wait_ms: 10_000 });
    expect(from.listeners.size).toBe(1);
    from.print("new");
    expect(await waiting).toMatchObject({ output: "new", waited: "met" });
    expect(from.listeners.size).toBe(0);
  });

  it("[B1] finds a text that arrives in pieces, cut inside a character", async () => {
    const from = source();
    const waiting = from.read({ wait_for: "text", text: "fertig ✓", wait_ms: 10_000 });
    const whole = Buffer.from(`${"x".repeat(70_000)} fertig ✓`);
    for (let at = 0; at < whole.length; at += 34_999) from.print(whole.subarray(at, at + 34_999));
    from.print(whole.subarray(whole.length));
    expect(await waiting).toMatchObject({ waited: "met" });
  });

  it("finds a text through what is put between its letters, wherever that is cut", async () => {
    const whole = Buffer.from("\u001b[1mPass\u001b[22;31mwört\u001b]8;;http://x\u0007:\u001b[0m ");
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const from = source();
      const waiting = from.read({ wait_for: "text", text: "Passwört:", wait_ms: 10_000 });
      from.print(whole.subarray(0, cut));
      from.print(whole.subarray(cut));
      expect(await waiting).toMatchObject({ waited: "met" });
      expect(await from.read({ wait_for: "text", text: "http", wait_ms: 0 })).toMatchObject({
        waited: "met",
      });
      expect(await from.read({ wait_for: "text", text: "Passwört: ende", wait_ms: 0 })).toMatchObject({
        waited: "time_over",
      });
    }
  });

  it("finds a text of two lines as it is read", async () => {
    const from = source();
    from.print("one\u001b[0m\r");
    from.print("\ntwo");
    for (const text of ["one\ntwo", "one\u001b[0m\r\ntwo"])
      expect(await from.read({ wait_for: "text", text, wait_ms: 0 })).toMatchObject({ waited: "met" });
  });

  it("for output as text is not met by the unfinished line that was told already", async () => {
    const from = source();
    from.print("one\r\nName: ");
    const { next } = await from.read({ format: "text" });
    const again = { format: "text", offset: next, wait_for: "output" } as const;
    expect(await from.read({ ...again, wait_ms: 0 })).toMatchObject({ waited: "time_over" });
    const waiting = from.read({ ...again, wait_ms: 10_000 });
    from.print("me");
    expect(await waiting).toMatchObject({ waited: "met", output: "", unfinished_line: "Name: me" });
    expect(await from.read({ format: "text", wait_for: "output", wait_ms: 0 })).toMatchObject({
      waited: "met",
      output: "one\n",
    });
    from.wait();
    expect(await from.read({ ...again, wait_ms: 0 })).toMatchObject({ waited: "met" });
  });

  it("for output as text is met by what was printed between a read and the wait", async () => {
    const from = source();
    from.print("one\r\n10%");
    const { next } = await from.read({ format: "text" });
    from.print("\r20%");
    const again = { format: "text", offset: next, wait_for: "output", wait_ms: 0 } as const;
    expect(await from.read(again)).toMatchObject({ waited: "met", unfinished_line: "20%" });
    expect(await from.read(again)).toMatchObject({ waited: "time_over", unfinished_line: "20%" });
  });

  it("for output as text is met by what its own reader was not told, whatever another was", async () => {
    const from = source();
    from.print("one\r\n10%");
    const { next } = await from.read({ format: "text", reader: "claude" });
    from.print("\r20%");
    await from.read({ format: "text", reader: "codex" });
    const again = { format: "text", offset: next, wait_for: "output", wait_ms: 0 } as const;
    expect(await from.read({ ...again, reader: "claude" })).toMatchObject({ waited: "met" });
    for (const reader of ["claude", "codex"])
      expect(await from.read({ ...again, reader })).toMatchObject({ waited: "time_over" });
    expect(await from.read(again)).toMatchObject({ waited: "met", unfinished_line: "20%" });
  });

  it("for output as text is met once more for a reader that many others came after", async () => {
    const from = source();
    from.print("10%");
    const again = { format: "text", wait_for: "output", wait_ms: 0 } as const;
    for (let at = 0; at < 40; at += 1) await from.read({ format: "text", reader: `reader ${at}` });
    expect(await from.read({ ...again, reader: "reader 39" })).toMatchObject({ waited: "time_over" });
    expect(await from.read({ ...again, reader: "reader 0" })).toMatchObject({ waited: "met" });
  });

  it("for a text looks through all that was there, in turns between which others have theirs", async () => {
    const from = source(new OutputLog({ memoryBytes: 128 * LOG_BLOCK_BYTES }));
    from.print(`${"x".repeat(5_000_000)}the end`);
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const found = await from.read({ wait_for: "text", text: "the end", wait_ms: 0 });
    expect(found).toMatchObject({ waited: "met" });
    expect(turns).toBeGreaterThan(2);
    expect(await from.read({ wait_for: "text", text: "no such", wait_ms: 0 })).toMatchObject({
      waited: "time_over",
    });
    from.end();
    expect(await from.read({ wait_for: "text", text: "no such", wait_ms: 9_000 })).toMatchObject({
      waited: "ended",
    });
    clearImmediate(counting);
    expect(from.listeners.size).toBe(0);
  });

  it("for output as text is not met by the end of an answer that nobody got, or of a transcript", async () => {
    const from = source();
    from.print("10%");
    const gone = new AbortController();
    gone.abort();
    await from.read({ format: "text" }, gone.signal);
    await textRead(from.readable, 0, 65_536);
    expect(await from.read({ format: "text", wait_for: "output", wait_ms: 0 })).toMatchObject({
      waited: "met",
    });
  });

  it("for a text looks only after the offset", async () => {
    const from = source();
    from.print("ready\r\n");
    expect(await from.read({ offset: 1, wait_for: "text", text: "ready", wait_ms: 0 })).toMatchObject({
      waited: "time_over",
    });
  });

  it("for the exit ends with it; for what can no longer come it says that it ended", async () => {
    const from = source();
    const exit = from.read({ wait_for: "exit", wait_ms: 10_000 });
    const text = from.read({ wait_for: "text", text: "never", wait_ms: 10_000 });
    from.end();
    expect(await exit).toMatchObject({ waited: "met", status: "exited" });
    expect(await text).toMatchObject({ waited: "ended" });
  });

  it("gives up when its time is over, or nobody is there any more", async () => {
    const from = source();
    expect(await from.read({ wait_for: "exit", wait_ms: 0 })).toMatchObject({ waited: "time_over" });
    const gone = new AbortController();
    const waiting = from.read({ wait_for: "exit", wait_ms: 50_000 }, gone.signal);
    gone.abort();
    expect(await waiting).toMatchObject({ waited: "time_over" });
    expect(from.listeners.size).toBe(0);
  });
});
