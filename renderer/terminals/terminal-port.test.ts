import { describe, expect, test, vi } from "vitest";
import type { ToTab } from "../../bridge/contract/port.ts";
import type { Door } from "../window.ts";
import { openTerminalPort } from "./terminal-port.ts";

const ID = "term_aaaaaaaa";

/** A door with the two things that a terminal uses: the request, and ports that a test hands in. */
function terminalDoor(attached: boolean) {
  const listeners = new Set<(sessionId: string, port: MessagePort) => void>();
  const door = {
    request: async () => ({ attached }),
    listen: () => () => {},
    listenForPorts: (listener: (sessionId: string, port: MessagePort) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Door;
  const hand = (sessionId: string) => {
    const { port1, port2 } = new MessageChannel();
    for (const listener of listeners) listener(sessionId, port1);
    return port2;
  };
  return { door, hand, listeners };
}

const received = (port: MessagePort) => {
  const messages: unknown[] = [];
  port.addEventListener("message", (event) => messages.push(event.data));
  port.start();
  return messages;
};

describe("openTerminalPort", () => {
  test("messages before the port came are sent in order once it is there, others at once", async () => {
    const { door, hand } = terminalDoor(true);
    const port = openTerminalPort(door, ID, { message: () => {}, closed: () => {} });
    port.send({ type: "resize", size: { cols: 80, rows: 24 } });
    port.send({ type: "input", text: "a" });
    const bridge = hand(ID);
    const messages = received(bridge);
    port.send({ type: "input", text: "b" });
    await expect.poll(() => messages).toHaveLength(3);
    expect(messages[2]).toEqual({ type: "input", text: "b" });
    port.close();
    bridge.close();
  });

  test("another session's port is left alone", async () => {
    const { door, hand } = terminalDoor(true);
    const seen: ToTab[] = [];
    const port = openTerminalPort(door, ID, { message: (message) => seen.push(message), closed: () => {} });
    const other = hand("term_bbbbbbbb");
    const bridge = hand(ID);
    other.postMessage({ type: "data", chars: "not ours", replay: false });
    bridge.postMessage({ type: "data", chars: "ours", replay: false });
    await expect.poll(() => seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ chars: "ours" });
    port.close();
    other.close();
    bridge.close();
  });

  test("a session that is gone, and a message that does not fit, end it with a reason, once", async () => {
    const gone: string[] = [];
    openTerminalPort(terminalDoor(false).door, ID, {
      message: () => {},
      closed: (reason) => gone.push(reason),
    });
    await expect.poll(() => gone).toEqual(["there is no such terminal any more"]);

    const broken: string[] = [];
    const { door, hand, listeners } = terminalDoor(true);
    openTerminalPort(door, ID, { message: () => {}, closed: (reason) => broken.push(reason) });
    const bridge = hand(ID);
    bridge.postMessage({ type: "data", chars: 12, replay: false });
    bridge.postMessage({ type: "nonsense" });
    await expect.poll(() => broken).toHaveLength(1);
    expect(listeners.size).toBe(0);
    bridge.close();
  });

  test("after close nothing is told and nothing is listened for", async () => {
    const { door, listeners } = terminalDoor(true);
    const closed = vi.fn<() => void>();
    openTerminalPort(door, ID, { message: () => {}, closed }).close();
    expect(listeners.size).toBe(0);
    await Promise.resolve();
    expect(closed).not.toHaveBeenCalled();
  });
});
