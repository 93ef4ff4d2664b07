import { Terminal } from "@xterm/xterm";
import type { FitAddon } from "@xterm/addon-fit";
import type { SearchAddon } from "@xterm/addon-search";
import { describe, expect, test } from "vitest";
import { TERMINAL_LIMITS } from "../../bridge/contract/api.ts";
import { FLOW } from "../../bridge/contract/flow.ts";
import type { FromTab, ToTab } from "../../bridge/contract/port.ts";
import { connectTerminal } from "./connect-terminal.ts";

function connected() {
  const terminal = new Terminal({ cols: 80, rows: 5 });
  const sent: FromTab[] = [];
  let deliver: (message: ToTab) => void = () => {};
  const closed: string[] = [];
  const steps: string[] = [];
  const refused: string[] = [];
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
    onRefused: (sentence) => refused.push(sentence),
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
    refused,
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

  test("a question that was shown is answered, also when a replay comes before it is parsed", async () => {
    const { deliver, sent, line } = connected();
    deliver({ type: "data", chars: "\u001b[6n", replay: false });
    deliver({ type: "data", chars: "\u001b[6n\r\nlater", replay: true });
    deliver({ type: "data", chars: "\u001b[5n", replay: false });
    await expect.poll(() => line(1)).toBe("later");
    await expect.poll(() => sent).toContainEqual({ type: "input", text: "\u001b[0n" });
    expect(sent.filter(({ type }) => type === "input")).toEqual([
      { type: "input", text: "\u001b[1;1R" },
      { type: "input", text: "\u001b[0n" },
    ]);
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

  test("a paste goes as one message, whatever its length; one that is too long goes not at all, and that is said", () => {
    const { terminal, sent, refused } = connected();
    const most = TERMINAL_LIMITS.waitingInputBytes;
    terminal.input("x".repeat(most));
    expect(sent).toEqual([{ type: "input", text: "x".repeat(most) }]);
    terminal.input("x".repeat(3 * most));
    terminal.input("€".repeat(most / 2));
    expect(sent).toHaveLength(1);
    expect(refused).toEqual([
      "Nothing of the paste was typed: it has 3,145,728 bytes, and a terminal takes 1,048,576 at once.",
      "Nothing of the paste was typed: it has 1,572,864 bytes, and a terminal takes 1,048,576 at once.",
    ]);
  });

  test("what the bridge refused is said, a key as well as a paste", () => {
    const { deliver, refused } = connected();
    deliver({ type: "refused", chars: 900_000 });
    deliver({ type: "refused", chars: 1 });
    expect(refused).toEqual([
      "Nothing of the 900,000 characters was typed: the program does not read, and too much waits for it already.",
      "The key was not typed: the program does not read, and too much waits for it already.",
    ]);
  });
});
