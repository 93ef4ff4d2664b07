import { describe, expect, it } from "vitest";
import { ConPty, type SpawnConPty } from "./conpty.ts";

function fake() {
  const seen: unknown[] = [];
  let print: (text: string) => void = () => {};
  let exit: (end: { exitCode: number }) => void = () => {};
  const spawn: SpawnConPty = (file, args, options) => {
    seen.push({ file, args, options });
    return {
      pid: 4_711,
      write: (text) => void seen.push({ typed: text }),
      resize: (cols, rows) => void seen.push({ cols, rows }),
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
    print: (text: string) => print(text),
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
  it("[B3] gets the command, folder, environment and size, and hands over output as UTF-8 and then the end", () => {
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
    print("ä€");
    exit(3);
    expect(told).toEqual(["ä€", { exitCode: 3, signal: 0 }]);
  });

  it("is typed into and resized while it lives, and refuses after that, and too much at once", () => {
    const { seen, spawn, exit } = fake();
    const pty = new ConPty(OPTIONS, { data: () => {}, end: () => {} }, spawn);
    seen.length = 0;
    expect(pty.write("dir\r")).toBe(true);
    expect(pty.write("x".repeat(2 * 1024 * 1024))).toBe(false);
    pty.resize({ cols: 40, rows: 10 });
    exit(0);
    expect(pty.write("x")).toBe(false);
    pty.resize({ cols: 41, rows: 10 });
    expect(seen).toEqual([{ typed: "dir\r" }, { cols: 40, rows: 10 }]);
  });
});
