import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tabPort } from "./testing/tab-port.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

let bridge: Terminals;
beforeEach(async () => {
  bridge = await terminals();
});
afterEach(() => bridge.dispose());

/** Asks with raw keys, and prints what it is told, made visible. */
const asks = (questions: string, { before = "", wanted = 1, seconds = 30 } = {}) => `exec python3 -c '
import os, select, sys, termios, tty
old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"""${before}${questions}""")
got = b""
while select.select([0], [], [], ${seconds} if got.count(b"\\x1b") < ${wanted} else 0.5)[0]:
    got += os.read(0, 1024)
termios.tcsetattr(0, termios.TCSANOW, old)
print("told", repr(got.decode()))
'`;

/** Who asked before it has an answer by then, or gets none: it begins to read keys shortly before the last look. */
async function othersAreAnswered(): Promise<void> {
  const { output } = await bridge.finish(late, { shell: "/bin/bash" });
  expect(output).toContain("told $'\\E[1;1'");
}
const late = `printf '\\033[6n'; sleep 1; IFS= read -r -s -d R -t 60 where; printf 'told %q' "$where"`;

describe("what a program asks a terminal that nobody sees", () => {
  it.each([
    ["where its cursor is", "\\x1b[6n", "ab\\r\\ncde", "\\x1b[2;4R"],
    ["whether it is well", "\\x1b[5n", "", "\\x1b[0n"],
    ["what it is", "\\x1b[c", "", "\\x1b[?1;2c"],
    ["which version", "\\x1b[>c", "", "\\x1b[>0;276;0c"],
    ["how a mode stands", "\\x1b[?2004$p", "\\x1b[?2004h", "\\x1b[?2004;1$y"],
  ])("is answered as a tab would answer: %s", async (_what, question, before, answer) => {
    const { output } = await bridge.finish(asks(question, { before }));
    expect(output).toContain(`told '${answer}'`);
  });

  it("is answered in the order in which it was asked, and once", async () => {
    const { output } = await bridge.finish(asks("\\x1b[5n\\x1b[6n\\x1b[c", { wanted: 3 }));
    expect(output).toContain("told '\\x1b[0n\\x1b[1;1R\\x1b[?1;2c'");
  });

  it("is answered for the size that the terminal has, after more output than is kept in one piece", async () => {
    const { output } = await bridge.finish(`seq 1 40000; ${asks("\\x1b[999;999H\\x1b[6n")}`, {
      size: { cols: 97, rows: 31 },
    });
    expect(output).toContain("told '\\x1b[31;97R'");
  });

  it("is answered to a shell that asks before it reads keys", async () => {
    const { output } = await bridge.finish(
      `printf '\\033[6n'; IFS= read -r -s -d R where; printf 'told %q' "$where"`,
      {
        shell: "/bin/bash",
      },
    );
    expect(output).toContain(String.raw`told $'\E[1;1'`);
  });

  it("is not answered into the lines of a program that only prints it", async () => {
    const { output, session } = await bridge.finish(
      `printf 'x\\033[6n\\033[c'; read -r -t 1 line; echo "line <$line>"`,
      { shell: "/bin/bash" },
    );
    expect(session.exit_code).toBe(0);
    expect(output).toContain("line <>");
    expect(output).not.toContain("^[[");
  });

  it("is answered to who begins to read keys a second later", async () => {
    await expect(othersAreAnswered()).resolves.toBeUndefined();
  });

  it.each([
    ["an earlier one that has text after it", "\\x1b[5nWhere? \\x1b[6n", "\\x1b[1;8R"],
    ["what an echo of an answer looks like", "\\x1b[?1;2c\\x1b[5n", "\\x1b[0n"],
  ])("is answered whatever was printed before: %s", async (_what, question, answer) => {
    const { output } = await bridge.finish(asks(question));
    expect(output).toContain(`told '${answer}'`);
  });

  it("is answered when a bell follows it", async () => {
    const { output } = await bridge.finish(asks("\\x1b[6n\\x07"));
    expect(output).toContain("told '\\x1b[1;1R'");
  });

  it("is answered for where the cursor is, after lines that were drawn over again and again", async () => {
    const bar = `for n in $(seq 900); do printf '\\rdone %s of 900, and some more text' $n; done`;
    const { output } = await bridge.finish(`seq 1 10; ${bar}; ${asks("\\x1b[6n")}`);
    expect(output).toMatch(/told '\\x1b\[11;\d+R'/);
  });

  const prompts = async (prompt: string, rest = "") => {
    const { session_id } = await bridge.run(
      `echo go; PS1='${prompt}' exec bash --norc --noprofile ${rest} -i`,
    );
    await bridge.until(session_id, /go[^]*2004h/);
    return session_id;
  };
  const typeInto = async (id: string) => {
    await othersAreAnswered();
    bridge.sessions.type(id, "echo only$((40+2)); exit\r");
    await bridge.end(id);
    return (await bridge.readAll(id)).replaceAll("\u001b[?2004h", "");
  };

  it.each([
    ["has gone on", String.raw`printf '\033[6n\033[c'`],
    ["was told to show the other screen", String.raw`printf '\033[?1049h\033[c'`],
    ["has its prompt in a title", String.raw`bind 'set enable-bracketed-paste off'; printf '\033[c\033]0;'`],
    ["has its prompt in a string", String.raw`bind 'set enable-bracketed-paste off'; printf '\033[c\033P'`],
  ])("is not answered into a shell that %s", async (_what, command) => {
    const id = await prompts("ready> ");
    bridge.sessions.type(id, `${command}\r`);
    await bridge.until(id, /\[c[^]*ready>/);
    expect(await typeInto(id)).toContain("ready> echo only");
  });

  it.each([
    ["has no prompt", "", "", String.raw`printf '\033[c'`],
    ["has no prompt and takes commands of vi", "", "-o vi", String.raw`printf '\033[c'`],
    [
      "has its prompt in a sequence",
      "$ ",
      "",
      String.raw`bind 'set enable-bracketed-paste off'; printf '\033[c\033['`,
    ],
    ["has a job in the background that asks", "$ ", "", String.raw`(sleep 0.3; printf '\033[c') &`],
  ])("is not answered into a shell that %s", async (_what, prompt, flags, command) => {
    const id = await prompts(prompt, flags);
    bridge.sessions.type(id, `${command}\r`);
    await bridge.until(id, "\u001b[c");
    expect(await typeInto(id)).toContain("only42");
  });

  it("is not answered into a REPL whose prompt is hidden in a sequence", async () => {
    const { session_id: id } = await bridge.run(
      "exec env TERM=xterm-256color PYTHON_BASIC_REPL=1 python3 -q",
    );
    await bridge.until(id, ">>> ");
    bridge.sessions.type(id, String.raw`import sys; _ = sys.stdout.write("\x1b[c\x1b[")` + "\r");
    await bridge.until(id, "\u001b[c\u001b[");
    await othersAreAnswered();
    bridge.sessions.type(id, "print(40+2); exit()\r");
    await bridge.end(id);
    expect(await bridge.readAll(id)).toContain("42\r\n");
  });

  it("is not answered into what comes after a program that asks so much that it cannot read it", async () => {
    const { session_id } = await bridge.run(
      `python3 -c '
import os, termios, time, tty
old = termios.tcgetattr(0); tty.setraw(0)
for _ in range(40):
    os.write(1, b"\\x1b[>c" * 25); time.sleep(0.05)
termios.tcsetattr(0, termios.TCSAFLUSH, old)
'; echo gone; read -r line; printf 'line <%q>' "$line"`,
      { shell: "/bin/bash" },
    );
    await bridge.until(session_id, "gone");
    await othersAreAnswered();
    bridge.sessions.type(session_id, "ls\r");
    await bridge.end(session_id);
    expect(await bridge.readAll(session_id)).toContain("line <ls>");
  });

  it("is not answered into a shell whose prompt comes when the tab is shown", async () => {
    const id = await prompts("ready> ");
    bridge.sessions.type(id, String.raw`printf '\033[c'; sleep 0.1` + "\r");
    await bridge.until(id, "\u001b[c");
    const { port1, port2 } = new MessageChannel();
    bridge.sessions.attach(id, tabPort(port2));
    port1.postMessage({ type: "visible", visible: true });
    expect(await typeInto(id)).toContain("ready> echo only");
    port1.close();
  });

  it("is not answered when the program has given up and takes lines", async () => {
    const { session_id } = await bridge.run(`python3 -c '
import os, select, termios, tty
old = termios.tcgetattr(0); tty.setraw(0)
os.write(1, b"\\x1b[c"); select.select([0], [], [], 0.035)
termios.tcsetattr(0, termios.TCSAFLUSH, old)
'; echo; read -r line; printf 'line <%q>' "$line"`);
    await othersAreAnswered();
    bridge.sessions.type(session_id, "ls\r");
    await bridge.end(session_id);
    expect(await bridge.readAll(session_id)).toContain("line <ls>");
  });

  it("is left to a tab that shows it", async () => {
    const started = await bridge.run(`read -r go; ${asks("\\x1b[6n", { seconds: 2 })}`);
    const { port1, port2 } = new MessageChannel();
    bridge.sessions.attach(started.session_id, tabPort(port2));
    port1.postMessage({ type: "visible", visible: true });
    port1.postMessage({ type: "input", text: "\r" });
    await bridge.until(started.session_id, "\u001b[6n");
    await bridge.end(started.session_id);
    port1.close();
    expect(await bridge.readAll(started.session_id)).toContain("told ''");
  });

  it.each([
    ["is hidden", [true, false]],
    ["has not said yet that it is seen", []],
  ])("is answered when the tab %s, and not again when it is shown", async (_what, said) => {
    const started = await bridge.run(`read -r go; ${asks("\\x1b[6n")}`);
    const { port1, port2 } = new MessageChannel();
    const replays: boolean[] = [];
    port1.on("message", (message: { type: string; chars?: string; replay?: boolean }) => {
      if (message.chars?.includes("\u001b[6n") === true) replays.push(message.replay === true);
    });
    bridge.sessions.attach(started.session_id, tabPort(port2));
    for (const visible of said) port1.postMessage({ type: "visible", visible });
    port1.postMessage({ type: "input", text: "\r" });
    await bridge.until(started.session_id, "told");
    port1.postMessage({ type: "visible", visible: true });
    await bridge.end(started.session_id);
    expect(await bridge.readAll(started.session_id)).toMatch(/told '\\x1b\[\d+;\d+R'/);
    await expect.poll(() => replays, { timeout: 10_000 }).toEqual([true]);
    port1.close();
  });

  const heldTab = async () => {
    const flood = `head -c 3000000 /dev/zero | tr '\\0' x`;
    const { session_id: id } = await bridge.run(`read -r go; ${flood}; ${asks("\\x1b[6n")}`);
    const { port1, port2 } = new MessageChannel();
    port1.on("message", () => {}); // a page that is slow: nothing is acknowledged
    bridge.sessions.attach(id, tabPort(port2));
    port1.postMessage({ type: "visible", visible: true });
    port1.postMessage({ type: "input", text: "\r" });
    await bridge.until(id, "\u001b[6n");
    return { id, port: port1 };
  };

  it("is answered when the tab is hidden before it was shown the question", async () => {
    const { id, port } = await heldTab();
    port.postMessage({ type: "visible", visible: false });
    await bridge.end(id);
    port.close();
    expect(await bridge.readAll(id)).toMatch(/told '\\x1b\[\d+;\d+R'/);
  });

  it("is answered when the tab goes away before it was shown the question", async () => {
    const { id, port } = await heldTab();
    port.close();
    await bridge.end(id);
    expect(await bridge.readAll(id)).toMatch(/told '\\x1b\[\d+;\d+R'/);
  });

  it("is answered when it is cut where the tab is hidden", async () => {
    const { session_id: id } = await bridge.run(
      `stty -echo; read -r go; printf 'begun \\033['; read -r go; ${asks("6n")}`,
    );
    const { port1, port2 } = new MessageChannel();
    const shown: string[] = [];
    port1.on("message", (message: { chars?: string }) => shown.push(message.chars ?? ""));
    bridge.sessions.attach(id, tabPort(port2));
    port1.postMessage({ type: "visible", visible: true });
    port1.postMessage({ type: "input", text: "\r" });
    await expect.poll(() => shown.join(""), { timeout: 10_000 }).toContain("begun \u001b[");
    port1.postMessage({ type: "visible", visible: false });
    port1.postMessage({ type: "input", text: "\r" });
    await bridge.end(id);
    port1.close();
    expect(await bridge.readAll(id)).toMatch(/told '\\x1b\[\d+;\d+R'/);
  });

  it("holds up nobody for long when it is slow to find out", async () => {
    const slow = await bridge.run(
      asks("\\x1b[6n", { before: "", wanted: 1, seconds: 60 }).replace('b"""', 'b"\\x1bc" * 8000 + b"""'),
      { size: { cols: 1_000, rows: 500 } },
    );
    await bridge.until(slow.session_id, "\u001b[6n");
    const { output } = await bridge.finish(asks("\\x1b[c", { seconds: 20 }));
    expect(output).toContain("told '\\x1b[?1;2c'");
    await bridge.sessions.stop(slow.session_id);
  });

  it("does not hold up others when a program asks without end", async () => {
    const asker = await bridge.run(`stty raw -echo; while :; do printf '\\033[6n'; done`, {
      shell: "/bin/sh",
    });
    const { output } = await bridge.finish("seq 1 20000");
    expect(output.endsWith("20000\r\n")).toBe(true);
    await bridge.sessions.stop(asker.session_id);
    expect(bridge.problems).toEqual([]);
  });
});
