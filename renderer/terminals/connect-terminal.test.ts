import { Terminal } from "@xterm/xterm";
import type { FitAddon } from "@xterm/addon-fit";
import type { SearchAddon } from "@xterm/addon-search";
import { describe, expect, test } from "vitest";
import { FLOW } from "../../bridge/contract/flow.ts";
import type { FromTab, ToTab } from "../../bridge/contract/port.ts";
import { connectTerminal, inputMessages } from "./connect-terminal.ts";

function connected() {
  const terminal = new Terminal({ cols: 80, rows: 5 });
  const sent: FromTab[] = [];
  let deliver: (message: ToTab) => void = () => {};
  const closed: string[] = [];
  const steps: string[] = [];
  const link = connectTerminal({
    parts: {
      terminal,
      fit: { fit() {} } as FitAddon,
      search: {} as SearchAddon,
      links: { provideLinks() {} },
    },
    attach: (on) => {
      deliver = on.message;
      return { send: (message) => sent.push(message), close: () => {} };
    },
    onClosed: (reason) => closed.push(reason),
    onReplayed: () => steps.push("replayed"),
    onCut: () => steps.push("cut"),
  });
  const acknowledged = () =>
    sent.reduce((sum, message) => (message.type === "ack" ? sum + message.chars : sum), 0);
  const line = (row: number) => terminal.buffer.active.getLine(row)?.translateToString(true);
  return {
    terminal,
    sent,
    steps,
    link,
    acknowledged,
    line,
    deliver: (message: ToTab) => deliver(message),
  };
}

describe("connectTerminal", () => {
  test("output is acknowledged when it is parsed, replay included", async () => {
    const { deliver, acknowledged } = connected();
    const chars = "x".repeat(FLOW.ackEveryChars);
    deliver({ type: "data", chars, replay: true });
    deliver({ type: "data", chars, replay: false });
    await expect.poll(() => acknowledged()).toBe(2 * FLOW.ackEveryChars);
  });

  test("questions in a replay are not answered into the shell, those of a running program are", async () => {
    const { deliver, sent, line } = connected();
    deliver({ type: "data", chars: "\u001b[6nold", replay: true });
    await expect.poll(() => line(0)).toBe("old");
    expect(sent.filter(({ type }) => type === "input")).toEqual([]);
    deliver({ type: "data", chars: "\u001b[6n", replay: false });
    await expect.poll(() => sent).toContainEqual({ type: "input", text: "\u001b[1;4R" });
  });

  test("what a person types while a replay is drawn is taken", async () => {
    const { terminal, deliver, sent } = connected();
    deliver({ type: "data", chars: `\u001b[6n${"x\r\n".repeat(10_000)}`, replay: true });
    terminal.input("ls\r");
    await expect.poll(() => terminal.buffer.active.baseY).toBeGreaterThan(900);
    expect(sent.filter(({ type }) => type === "input")).toEqual([{ type: "input", text: "ls\r" }]);
  });

  test("bytes that are no longer kept are said to be missing", async () => {
    const { deliver, line } = connected();
    deliver({ type: "data", chars: "before", replay: false });
    deliver({ type: "data", chars: "after", replay: false, dropped_bytes: 1_234 });
    await expect.poll(() => line(1)).toBe("after");
    expect(line(0)).toContain("1,234 earlier bytes");
  });

  test("that the beginning is another is told before what comes then is in the terminal", async () => {
    const { deliver, steps } = connected();
    deliver({ type: "data", chars: "before", replay: true });
    deliver({ type: "data", chars: "after", replay: true, dropped_bytes: 1_234 });
    await expect.poll(() => steps).toEqual(["replayed", "cut", "replayed"]);
  });

  test("the session hears of a size once", () => {
    const { link, sent } = connected();
    link.fit();
    link.fit();
    expect(sent).toEqual([{ type: "resize", size: { cols: 80, rows: 5 } }]);
  });
});

describe("inputMessages", () => {
  test("long input is cut to what a message carries, and never inside a character", () => {
    const text = `${"a".repeat(3)}🌉${"b".repeat(3)}`;
    const pieces = inputMessages(text, 4).map((message) => (message.type === "input" ? message.text : ""));
    expect(pieces.join("")).toBe(text);
    expect(pieces).toEqual(["aaa", "🌉bb", "b"]);
  });
});
