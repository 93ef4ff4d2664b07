import { describe, expect, it } from "vitest";
import { FlagError, parseFlags } from "./flags.ts";

const source = { packaged: false, cwd: "/home/someone" };
const packaged = { packaged: true, cwd: "/home/someone" };

describe("the command line", () => {
  it("knows every flag of the app and leaves Chromium's alone", () => {
    const flags = parseFlags(
      [
        "--no-sandbox",
        "--user-data-dir=/data/a=b",
        "--mcp-port=0",
        "--demo",
        "--allow-writes",
        "--terminals",
        "x",
      ],
      source,
    );
    expect(flags).toEqual({
      userDataDir: "/data/a=b",
      mcpPort: 0,
      demo: true,
      allowWrites: true,
      terminals: true,
    });
  });

  it("resolves a relative folder against the folder it was typed in", () => {
    expect(parseFlags(["--user-data-dir=profile"], source).userDataDir).toBe("/home/someone/profile");
  });

  it("gives nothing away by default", () => {
    expect(parseFlags([], source)).toEqual({ demo: false, allowWrites: false, terminals: false });
  });

  it.each([
    [["--user-data-dir", "/data"], "--user-data-dir: write"],
    [["--user-data-dir="], "--user-data-dir: must name a folder"],
    [["--mcp-port=65536"], "--mcp-port: "],
    [["--mcp-port=http"], "--mcp-port: must be a port"],
    [["--mcp-port=1.5"], "--mcp-port: must be a port"],
    [["--allow-writes=no"], "--allow-writes: takes no value"],
    [["--server-url=ftp://engine"], "--server-url: must be an http or https address"],
    [["--server-url=engine:9123"], "--server-url: must be an http or https address"],
    [["--server-url=http://me:secret@engine"], "--server-url: must not hold a user"],
  ])("refuses %j and names the flag", (argv, message) => {
    expect(() => parseFlags(argv, source)).toThrow(FlagError);
    expect(() => parseFlags(argv, source)).toThrow(message);
  });

  it("never repeats a password that was typed into an address", () => {
    expect(() => parseFlags(["--server-url=http://me:secret@engine"], source)).not.toThrow("secret@");
  });

  it.each([
    "--inspect",
    "--inspect=0",
    "--inspect-brk=9229",
    "--remote-debugging-port=0",
    "--remote-debugging-pipe",
  ])("refuses %s in a packaged build and accepts it from source", (flag) => {
    expect(() => parseFlags([flag], packaged)).toThrow("cannot be debugged");
    expect(parseFlags([flag], source).demo).toBe(false);
  });
});
