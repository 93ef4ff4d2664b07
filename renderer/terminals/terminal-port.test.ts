import { describe, expect, test, vi } from "vitest";
import type { ToTab } from "../../bridge/contract/port.ts";
import { windowDoor } from "../window.ts";
import { openTerminalPort } from "./terminal-port.ts";

const ID = "term_aaaaaaaa";

type Asked = { session_id: string; attach_id: string };

/** The page's own door, with a main process behind it whose ports a test hands in. */
function terminalDoor(answer: Promise<{ attached: boolean }> = Promise.resolve({ attached: true })) {
  const asked: Asked[] = [];
  const host = Object.assign(new EventTarget(), {
    ironbridge: {
      async request(_: string, argument: string) {
        asked.push(JSON.parse(argument) as Asked);
        return JSON.stringify(await answer);
      },
      listen: () => () => {},
    },
  }) as unknown as Window;
  const door = windowDoor(host);
  /** The port of the nth attach comes to the page. The bridge's end of it, and whether the page has closed its own. */
  const hand = (nth = 0, attach_id = asked[nth]?.attach_id) => {
    const { port1, port2 } = new MessageChannel();
    const bridge = { port: port2, closed: false, messages: [] as unknown[] };
    port2.addEventListener("close", () => (bridge.closed = true));
    port2.addEventListener("message", (event) => bridge.messages.push(event.data));
    port2.start();
    const data = { type: "ironbridge:terminal", attach_id };
    host.dispatchEvent(Object.assign(new Event("message"), { source: host, data, ports: [port1] }));
    return bridge;
  };
  return { door, asked, hand };
}

const nothing = { message: () => {}, closed: () => {} };

describe("openTerminalPort", () => {
  test("messages before the port came are sent in order once it is there, others at once", async () => {
    const { door, hand } = terminalDoor();
    const port = openTerminalPort(door, ID, nothing);
    port.send({ type: "resize", size: { cols: 80, rows: 24 } });
    port.send({ type: "input", text: "a" });
    const { port: bridge, messages } = hand();
    port.send({ type: "input", text: "b" });
    await expect.poll(() => messages).toHaveLength(3);
    expect(messages[2]).toEqual({ type: "input", text: "b" });
    port.close();
    bridge.close();
  });

  test("of sizes, and of whether it is seen, only the last is kept for the port, however much is typed", async () => {
    const { door, hand } = terminalDoor();
    const port = openTerminalPort(door, ID, nothing);
    for (let nth = 0; nth < 500; nth += 1) {
      port.send({ type: "visible", visible: nth % 2 === 1 });
      port.send({ type: "resize", size: { cols: 80 + nth, rows: 24 } });
      port.send({ type: "input", text: "a" });
    }
    const { port: bridge, messages } = hand();
    await expect.poll(() => messages.length).toBeGreaterThan(2);
    expect(messages).toContainEqual({ type: "visible", visible: true });
    expect(messages).not.toContainEqual({ type: "visible", visible: false });
    expect(messages).toContainEqual({ type: "resize", size: { cols: 579, rows: 24 } });
    port.close();
    bridge.close();
  });

  test("what is typed before the port came is kept, up to what a terminal takes; more is refused as a whole", async () => {
    const { door, hand } = terminalDoor();
    const told: ToTab[] = [];
    const port = openTerminalPort(door, ID, { ...nothing, message: (message) => told.push(message) });
    for (const chars of [900_000, 900_000, 1]) port.send({ type: "input", text: "x".repeat(chars) });
    expect(told).toEqual([{ type: "refused", chars: 900_000 }]);
    const { port: bridge, messages } = hand();
    await expect.poll(() => messages).toHaveLength(2);
    expect((messages as { text: string }[]).map(({ text }) => text.length)).toEqual([900_000, 1]);
    port.close();
    bridge.close();
  });

  test("another's port is closed, its own is taken", async () => {
    const { door, hand } = terminalDoor();
    const seen: ToTab[] = [];
    const port = openTerminalPort(door, ID, { ...nothing, message: (message) => seen.push(message) });
    const other = hand(0, "00000000-0000-4000-8000-000000000000");
    const bridge = hand();
    other.port.postMessage({ type: "data", chars: "not ours", replay: false });
    bridge.port.postMessage({ type: "data", chars: "ours", replay: false });
    await expect.poll(() => seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ chars: "ours" });
    await expect.poll(() => other.closed).toBe(true);
    port.close();
  });

  test("the port of a view that went while it was attached is closed, and is not taken by the next one", async () => {
    const { door, asked, hand } = terminalDoor();
    openTerminalPort(door, ID, nothing).close();
    const closed: string[] = [];
    const seen: ToTab[] = [];
    const port = openTerminalPort(door, ID, {
      message: (message) => seen.push(message),
      closed: (reason) => closed.push(reason),
    });
    port.send({ type: "visible", visible: true });
    expect(asked.map(({ session_id }) => session_id)).toEqual([ID, ID]);
    const first = hand(0);
    await expect.poll(() => first.closed).toBe(true);
    const second = hand(1);
    second.port.postMessage({ type: "data", chars: "live", replay: false });
    await expect.poll(() => seen).toHaveLength(1);
    expect(second.messages).toEqual([{ type: "visible", visible: true }]);
    expect(first.messages).toEqual([]);
    expect(closed).toEqual([]);
    port.close();
    await expect.poll(() => second.closed).toBe(true);
  });

  test("a session that is gone, and a message that does not fit, end it with a reason, once", async () => {
    const gone: string[] = [];
    openTerminalPort(terminalDoor(Promise.resolve({ attached: false })).door, ID, {
      ...nothing,
      closed: (reason) => gone.push(reason),
    });
    await expect.poll(() => gone).toEqual(["there is no such terminal any more"]);

    const broken: string[] = [];
    const { door, hand } = terminalDoor();
    openTerminalPort(door, ID, { ...nothing, closed: (reason) => broken.push(reason) });
    const bridge = hand();
    bridge.port.postMessage({ type: "data", chars: 12, replay: false });
    bridge.port.postMessage({ type: "nonsense" });
    await expect.poll(() => broken).toHaveLength(1);
    await expect.poll(() => bridge.closed).toBe(true);
  });

  test("a port that comes after the answer said that it could not be attached is closed", async () => {
    const closed = vi.fn<() => void>();
    const { door, hand } = terminalDoor(Promise.reject(new Error("the terminal bridge did not answer")));
    openTerminalPort(door, ID, { ...nothing, closed });
    await expect.poll(() => closed.mock.calls).toEqual([["the terminal bridge did not answer"]]);
    const late = hand();
    await expect.poll(() => late.closed).toBe(true);
  });

  test("after close nothing is told", async () => {
    const { door } = terminalDoor(Promise.resolve({ attached: false }));
    const closed = vi.fn<() => void>();
    openTerminalPort(door, ID, { ...nothing, closed }).close();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(closed).not.toHaveBeenCalled();
  });
});
