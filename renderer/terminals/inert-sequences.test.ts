import { Terminal } from "@xterm/xterm";
import { expect, test } from "vitest";
import { INERT_OSC, makeInert } from "./inert-sequences.ts";

const write = (terminal: Terminal, text: string) => new Promise<void>((done) => terminal.write(text, done));

test("titles, links, notifications and the clipboard stay what they are, and nothing of them is printed", async () => {
  const terminal = new Terminal({ cols: 40, rows: 4 });
  makeInert(terminal.parser);
  const titles: string[] = [];
  const answers: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  terminal.onData((data) => answers.push(data));
  for (const code of INERT_OSC) await write(terminal, `\u001b]${code};;https://evil.example\u0007`);
  await write(
    terminal,
    "\u001b]52;c;?\u001b\\\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\ end",
  );
  expect(titles).toEqual([]);
  expect(answers).toEqual([]);
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe("link end");
  terminal.dispose();
});
