import { describe, expect, test, vi } from "vitest";
import { consentDoor, windowDoor } from "./window.ts";

/** A page's window with a preload behind it, as far as the door touches it. */
function hostWith(bridge: unknown) {
  const host = Object.assign(new EventTarget(), { ironbridge: bridge });
  return host as unknown as Window;
}

describe("the door", () => {
  test("an answer that does not fit its row is an error, one that fits is passed on", async () => {
    const answers: Record<string, unknown> = {
      "settings:get": { theme: "dark", time_zone: "utc" },
      "app:info": { name: 12 },
    };
    const host = hostWith({
      request: async (name: string) => JSON.stringify(answers[name]),
      listen: () => () => {},
    });
    await expect(windowDoor(host).request("settings:get", {})).resolves.toEqual({
      theme: "dark",
      time_zone: "utc",
    });
    await expect(windowDoor(host).request("app:info", {})).rejects.toThrow("app:info has an unknown shape");
  });

  test("what went wrong in main is told in main's words alone", async () => {
    const said = "Error invoking remote method 'main/settings:get': Error: the disk is full";
    const host = hostWith({ request: () => Promise.reject(new Error(said)), listen: () => () => {} });
    await expect(windowDoor(host).request("settings:get", {})).rejects.toThrow(/^the disk is full$/);
  });

  test("an event that does not fit is dropped and noted, one that fits is told", () => {
    const noted = vi.spyOn(console, "error").mockImplementation(() => {});
    let send: (body: unknown) => void = () => {};
    const host = hostWith({
      listen: (_name: string, listener: (body: string) => void) => {
        send = (body) => listener(JSON.stringify(body));
        return () => {};
      },
    });
    const seen: unknown[] = [];
    windowDoor(host).listen("navigate", (body) => seen.push(body));
    send({ path: 1 });
    send({ path: "/runs" });
    expect(seen).toEqual([{ path: "/runs" }]);
    expect(noted).toHaveBeenCalledOnce();
    noted.mockRestore();
  });

  test("what is asked and answered crosses as text, so that no member is lost", async () => {
    const data = '{"__proto__":{"admin":true},"n":[1]}';
    const sent: unknown[] = [];
    const host = hostWith({
      request: async (...asked: unknown[]) => {
        sent.push(asked);
        return `{"ok":true,"data":${data}}`;
      },
      listen: () => () => {},
    });
    const call = { connection: "local", tool: "t", arguments: { data: JSON.parse(data) as unknown } };
    const answer = await windowDoor(host).request("tool:call", call);
    expect(sent).toEqual([["tool:call", `{"connection":"local","tool":"t","arguments":{"data":${data}}}`]]);
    expect(JSON.stringify(answer)).toBe(`{"ok":true,"data":${data}}`);
  });

  test("a port counts only when it comes from this very window, for an attach that waits for it, once", () => {
    const host = hostWith({ request: async () => ({}), listen: () => () => {} });
    const seen: string[] = [];
    const door = windowDoor(host);
    door.takePort("a", () => seen.push("a"));
    door.takePort("b", () => seen.push("b"))();
    const { port1, port2 } = new MessageChannel();
    const tell = (source: unknown, data: unknown, ports: MessagePort[]) =>
      host.dispatchEvent(Object.assign(new Event("message"), { source, data, ports }));
    const ours = { type: "ironbridge:terminal", attach_id: "a" };
    tell({}, ours, [port1]);
    tell(host, ours, []);
    tell(host, { type: "other", attach_id: "a" }, [port1]);
    tell(host, null, [port1]);
    expect(seen).toEqual([]);
    tell(host, ours, [port1]);
    expect(seen).toEqual(["a"]);
    let closes = 0;
    const unwanted = { close: () => void (closes += 1) } as unknown as MessagePort;
    tell(host, ours, [unwanted]);
    tell(host, { ...ours, attach_id: "b" }, [unwanted]);
    tell(host, { ...ours, attach_id: "of the page before" }, [unwanted]);
    expect([seen, closes]).toEqual([["a"], 3]);
    port1.close();
    port2.close();
  });

  test("a page outside the app has no door", () => {
    expect(() => windowDoor(hostWith(undefined))).toThrow("only works inside Ironbridge");
    expect(() => consentDoor(hostWith(undefined))).toThrow("only works inside Ironbridge");
  });
});
