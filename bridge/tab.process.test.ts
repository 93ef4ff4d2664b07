import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { TERMINAL_LIMITS } from "./contract/api.ts";
import { FLOW } from "./contract/flow.ts";
import { ToTab } from "./contract/port.ts";
import { tabPort } from "./testing/tab-port.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

let bridge: Terminals;
const ports: MessagePort[] = [];
beforeEach(async () => {
  bridge = await terminals();
});
afterEach(async () => {
  for (const port of ports.splice(0)) port.close();
  await bridge.dispose();
});

/** A tab as the window has one: parses what it gets, and acknowledges it unless told not to. */
function openTab(sessionId: string, acknowledges = true) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port2);
  const tab = { text: "", closed: false, refused: [] as number[], port: port2 };
  port2.on("message", (raw) => {
    const message = ToTab.parse(raw);
    if (message.type === "refused") {
      tab.refused.push(message.chars);
      return;
    }
    tab.text += message.chars;
    if (acknowledges) port2.postMessage({ type: "ack", chars: message.chars.length, replay: message.replay });
  });
  port2.on("close", () => {
    tab.closed = true;
  });
  expect(bridge.sessions.attach(sessionId, tabPort(port1))).toBe(true);
  port2.postMessage({ type: "visible", visible: true });
  return tab;
}

describe("a tab on a real terminal", () => {
  it("shows all of the output, and what is typed arrives", async () => {
    const { session_id } = await bridge.run('read -r line; echo "got [$line]"; seq 1 50000');
    const tab = openTab(session_id);
    tab.port.postMessage({ type: "input", text: "hello ä\r" });
    await bridge.end(session_id);
    const wanted = await bridge.readAll(session_id);
    expect(wanted).toContain("got [hello ä]");
    await poll("the tab has it all", () => tab.text === wanted);
  });

  it("changes the size of the terminal, and the program is told", async () => {
    const { session_id } = await bridge.run(
      "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done",
    );
    await bridge.until(session_id, "ready");
    openTab(session_id).port.postMessage({ type: "resize", size: { cols: 91, rows: 17 } });
    await bridge.until(session_id, "17 91");
    expect((await bridge.end(session_id)).size).toEqual({ cols: 91, rows: 17 });
  });

  it("[B-SHOW-1] that is hidden, never opened, or never acknowledges changes nothing about what an agent reads", async () => {
    const command = "seq 1 60000";
    const sessions = await Promise.all([1, 2, 3, 4].map(() => bridge.run(command)));
    const [hidden, , silent, shown] = sessions.map((session) => session.session_id);
    openTab(hidden ?? "").port.postMessage({ type: "visible", visible: false });
    const mute = openTab(silent ?? "", false);
    openTab(shown ?? "");
    const wanted = Array.from({ length: 60_000 }, (_, line) => `${line + 1}\r\n`).join("");
    for (const { session_id } of sessions) {
      expect(await bridge.end(session_id)).toMatchObject({ exit_code: 0, output_bytes: wanted.length });
      expect((await bridge.readAll(session_id)) === wanted).toBe(true);
    }
    expect(mute.text.length).toBeLessThan(FLOW.holdAboveChars + 65_536);
  });

  it("that is opened again takes the place of the first and gets everything", async () => {
    const { session_id } = await bridge.run("echo one; read -r x; echo two");
    const first = openTab(session_id);
    await poll("first", () => first.text.includes("one"));
    const second = openTab(session_id);
    await poll("first is closed", () => first.closed);
    second.port.postMessage({ type: "input", text: "\r" });
    await poll("second", () => second.text.includes("one") && second.text.includes("two"));
    expect(first.text).not.toContain("two");
    second.port.close();
    await bridge.end(session_id);
  });

  it("cannot make the bridge wait: input that nobody reads is refused above 1 MiB, and the terminal still ends", async () => {
    const { session_id } = await bridge.run("stty -icanon -echo; echo ready; exec sleep 600");
    await bridge.until(session_id, "ready");
    bridge.heeds("SIGINT");
    const tab = openTab(session_id);
    for (let piece = 0; piece < 40; piece += 1)
      tab.port.postMessage({ type: "input", text: "x".repeat(65_536) });
    await poll("refused", () => bridge.problems.some((text) => text.includes("was refused")));
    expect(bridge.problems).toHaveLength(1);
    await poll("told of each", () => tab.refused.length >= 20);
    expect(new Set(tab.refused)).toEqual(new Set([65_536]));
    expect(await bridge.sessions.stop(session_id)).toMatchObject({ outcome: "after_int", alive: 0 });
  });

  it("whose paste does not fit beside what waits loses it as a whole: there is no hole in what the program reads", async () => {
    const { session_id } = await bridge.run(
      "stty raw -echo; echo ready; until [ -e go ]; do sleep 0.05; done; head -c 900001 | tr -d a; echo .",
    );
    await bridge.until(session_id, "ready");
    const tab = openTab(session_id);
    for (const text of ["a".repeat(900_000), "b".repeat(900_000), "c"])
      tab.port.postMessage({ type: "input", text });
    await poll("refused", () => tab.refused.length > 0);
    await writeFile(join(bridge.home, "go"), "");
    await bridge.end(session_id);
    expect(await bridge.readAll(session_id)).toMatch(/ready\s+c\.\s*$/);
    expect(tab.refused).toEqual([900_000]);
  });

  it("does not get what was typed into a terminal that had the same descriptor", async () => {
    const { session_id } = await bridge.run("stty -icanon -echo; echo ready; exec sleep 600");
    await bridge.until(session_id, "ready");
    const tab = openTab(session_id);
    tab.port.postMessage({ type: "input", text: "secret".repeat(10_000) });
    await poll("typed", () => bridge.sessions.list()[0]?.output_bytes === "ready\r\n".length);
    await bridge.sessions.close(session_id);
    const next = await bridge.run("stty -icanon min 0 time 5; dd bs=65536 count=1 2>/dev/null | wc -c");
    await bridge.end(next.session_id);
    expect((await bridge.readAll(next.session_id)).trim()).toBe("0");
  });

  it("knows no session that is not there", () => {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    expect(bridge.sessions.attach("term_nosuchone", tabPort(port1))).toBe(false);
  });
});

describe("a flood", () => {
  it("stays bounded in memory, is read by nobody, and Stop ends it", async () => {
    bridge.heeds("SIGINT");
    const { session_id } = await bridge.run("yes");
    const bytes = () => bridge.sessions.list()[0]?.output_bytes ?? 0;
    const kept = TERMINAL_LIMITS.logMemoryBytes + TERMINAL_LIMITS.logSpillBytes;
    await poll("the log is full, in memory and on disk", () => bytes() > kept + 1024 * 1024, 120_000);
    const before = process.memoryUsage().rss;
    const end = performance.now() + 1_000;
    const at = bytes();
    await poll("a second of yes", () => performance.now() > end && bytes() > at);
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
    const read = await bridge.read(session_id);
    expect(read?.dropped).toBeGreaterThan(0);
    expect(read?.output.length).toBe(65_536);
    expect(await bridge.sessions.stop(session_id)).toMatchObject({ outcome: "after_int", alive: 0 });
  });
});
