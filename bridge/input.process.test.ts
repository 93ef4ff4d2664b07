import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { endsUnfinished } from "./input-watch.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

let bridge: Terminals;
beforeEach(async () => {
  bridge = await terminals();
});
afterEach(() => bridge.dispose());

const status = (id: string) => bridge.sessions.list().find((row) => row.session_id === id)?.status;
const becomes = (id: string, wanted: string) => poll(`${id} is ${wanted}`, () => status(id) === wanted);

const inThread = (call: string) =>
  `python3 -c 'import getpass, subprocess, threading
thread = threading.Thread(target=lambda: ${call}); thread.start(); thread.join()'`;

describe("a program that waits for a person", () => {
  it.each([
    ["a prompt", `printf 'Name: '; read -r name; echo "hello $name"`],
    ["a password that is not shown", `stty -echo; read -r name; stty echo; echo "hello \${#name}"`],
    ["a password with a prompt", `printf 'Password: '; stty -echo; read -r name; stty echo; echo ok`],
    ["Python's getpass", `python3 -c 'import getpass; print(len(getpass.getpass()))'`],
    ["an interactive shell", "exec sh -i"],
    ["a password with a time limit", `read -s -t 60 word; echo`],
    ["a thread that is not the main one", inThread(`input("Name: ")`)],
    ["a password that such a thread reads", inThread(`getpass.getpass("")`)],
    ["a child of such a thread", inThread(`subprocess.run(["bash", "-c", "read -p Name: x"])`)],
    [
      "what is left of a job whose first process has gone",
      `set -m\ntrue | (sleep 0.3; exec bash -c 'read -p "Name: " x </dev/tty')`,
    ],
  ])("is waiting_input, and running again when it was given what it wants: %s", async (_what, command) => {
    const { session_id } = await bridge.run(`${command}\nsleep 30`);
    await becomes(session_id, "waiting_input");
    bridge.sessions.type(session_id, "exit\r");
    await poll("it goes on", () => status(session_id) !== "waiting_input");
    expect(["running", "exited"]).toContain(status(session_id));
  });

  it("is not one that works, whatever it printed last", async () => {
    const busy = await bridge.run("printf 'Compiling ...'; exec sleep 30");
    const silent = await bridge.run("exec sleep 30");
    const reads = await bridge.run("exec cat");
    const waits = await bridge.run("printf '? '; read -r x");
    await becomes(waits.session_id, "waiting_input");
    for (const { session_id } of [busy, silent, reads]) expect(status(session_id)).toBe("running");
  });

  it("[B2] has what was typed unseen neither in its log nor in what an agent reads", async () => {
    const { session_id } = await bridge.run(
      `printf 'Password: '; stty -echo; read -r word; stty echo; echo; echo "length \${#word}"`,
    );
    await becomes(session_id, "waiting_input");
    bridge.sessions.type(session_id, "hunter2-secret\r");
    await bridge.end(session_id);
    const output = await bridge.readAll(session_id);
    expect(output).toContain("length 14");
    expect(output).not.toContain("hunter2");
  });
});

describe("what ends in an unfinished line", () => {
  it.each([
    ["$ ", true],
    ["done\r\n", false],
    ["", false],
    ["ok\r\n\u001b[0m\u001b[?2004h", false],
    ["\u001b]0;title\u0007me@host:~$ \u001b[?2004h", true],
    ["line\r\n   ", false],
  ])("%j: %s", (text, wanted) => {
    expect(endsUnfinished(Buffer.from(text))).toBe(wanted);
  });
});
