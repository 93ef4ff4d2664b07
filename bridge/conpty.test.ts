import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { ConPty, type SpawnConPty } from "./conpty.ts";

/** As node-pty: until the first output it keeps what it is told, and after the exit a resize throws. */
function fake() {
  const seen: unknown[] = [];
  let print: (text: string) => void = () => {};
  let exit: (end: { exitCode: number }) => void = () => {};
  let ready = false;
  let exited = false;
  const kept: (() => void)[] = [];
  const whenReady = (act: () => void) => void (ready ? act() : kept.push(act));
  const inSocket = Object.assign(new EventEmitter(), { writableLength: 0 });
  const spawn: SpawnConPty = (file, args, options) => {
    seen.push({ file, args, options });
    return {
      pid: 4_711,
      _agent: { inSocket },
      write: (text) => whenReady(() => void seen.push({ typed: text })),
      resize: (cols, rows) =>
        whenReady(() => {
          if (exited) throw new Error("Cannot resize a pty that has already exited");
          seen.push({ cols, rows });
        }),
      onData: (listener) => {
        print = listener;
        return { dispose: () => {} };
      },
      onExit: (listener) => {
        exit = listener;
        return { dispose: () => {} };
      },
    };
  };
  return {
    seen,
    spawn,
    inSocket,
    print: async (text: string) => {
      print(text);
      ready = true;
      for (const act of kept.splice(0)) act();
      await Promise.resolve();
    },
    /** What node-pty knows a second before it tells. */
    exits: () => (exited = true),
    exit: (exitCode: number) => exit({ exitCode }),
  };
}

const OPTIONS = {
  command: "C:\\Windows\\System32\\cmd.exe",
  args: ["/d", "/c", "C:\\t\\x.cmd"],
  env: { PATH: "C:\\Windows" },
  cwd: "C:\\",
  size: { cols: 90, rows: 20 },
};

describe("a pseudo console of Windows", () => {
  it("[B3] gets the command, folder, environment and size, and hands over output as UTF-8 and then the end", async () => {
    const { seen, spawn, print, exit } = fake();
    const told: unknown[] = [];
    const pty = new ConPty(
      OPTIONS,
      { data: (bytes) => told.push(Buffer.from(bytes).toString()), end: (end) => told.push(end) },
      spawn,
    );
    expect(pty.pid).toBe(4_711);
    expect(seen).toEqual([
      {
        file: OPTIONS.command,
        args: OPTIONS.args,
        options: {
          cols: 90,
          rows: 20,
          cwd: "C:\\",
          env: { PATH: "C:\\Windows" },
          useConpty: true,
          conptyInheritCursor: false,
        },
      },
    ]);
    await print("ä€");
    exit(3);
    expect(told).toEqual(["ä€", { exitCode: 3, signal: 0 }]);
  });

  it("is typed into and resized while it lives, and refuses after that, and too much at once", async () => {
    const { seen, spawn, print, exit } = fake();
    const pty = new ConPty(OPTIONS, { data: () => {}, end: () => {} }, spawn);
    await print("C:\\>");
    seen.length = 0;
    expect(pty.write("dir\r")).toBe(true);
    expect(pty.write("x".repeat(2 * 1024 * 1024))).toBe(false);
    pty.resize({ cols: 40, rows: 10 });
    exit(0);
    expect(pty.write("x")).toBe(false);
    pty.resize({ cols: 41, rows: 10 });
    expect(seen).toEqual([{ typed: "dir\r" }, { cols: 40, rows: 10 }]);
  });

  it("refuses input when too much waits in all, before its first output and after it", async () => {
    const { seen, spawn, print, inSocket } = fake();
    const pty = new ConPty(OPTIONS, { data: () => {}, end: () => {} }, spawn);
    seen.length = 0;
    const half = "x".repeat(600 * 1024);
    expect([pty.write(half), pty.write(half)]).toEqual([true, false]);
    await print("C:\\>");
    expect(seen).toEqual([{ typed: half }]);
    inSocket.writableLength = half.length;
    expect([pty.write(half), pty.write("y")]).toEqual([false, true]);
    inSocket.writableLength = 0;
    expect(pty.write(half)).toBe(true);
  });

  it("takes no harm from a size or from input that comes between the exit and its telling", async () => {
    const { seen, spawn, print, exits, inSocket } = fake();
    const pty = new ConPty(OPTIONS, { data: () => {}, end: () => {} }, spawn);
    await print("C:\\>");
    seen.length = 0;
    exits();
    pty.resize({ cols: 40, rows: 10 });
    expect(seen).toEqual([]);
    expect(() => inSocket.emit("error", new Error("EPIPE"))).not.toThrow();
  });

  it("gets the last size that was asked for before its first output, if it lives by then", async () => {
    for (const lives of [true, false]) {
      const { seen, spawn, print, exits } = fake();
      const pty = new ConPty(OPTIONS, { data: () => {}, end: () => {} }, spawn);
      seen.length = 0;
      pty.resize({ cols: 40, rows: 10 });
      pty.resize({ cols: 41, rows: 11 });
      if (!lives) exits();
      await print("C:\\>");
      expect(seen).toEqual(lives ? [{ cols: 41, rows: 11 }] : []);
    }
  });
});
