import { describe, expect, it } from "vitest";
import { FLAG_NAMES, FlagError, askedToInform } from "./flag-words.mjs";
import { parseFlags } from "./flags.ts";
import help from "./help.json" with { type: "json" };

const source = { packaged: false, cwd: "/home/someone", appPath: "/repository" };
const packaged = { ...source, packaged: true };

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
        "ironbridge://run/1",
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
    [["--user-data-dir=", "--server-url=x"], "--server-url: must be"],
    [["--mcp-port=65536"], "--mcp-port: must be a port, a number from 0 to 65535"],
    [["--mcp-port="], "--mcp-port: must be a port, a number from 0 to 65535"],
    [["--mcp-port=-1"], "--mcp-port: must be a port"],
    [["--mcp-port=0x10"], "--mcp-port: must be a port"],
    [["--mcp-port= 1"], "--mcp-port: must be a port"],
    [["--mcp-port=http"], "--mcp-port: must be a port"],
    [["--mcp-port=1.5"], "--mcp-port: must be a port"],
    [["--allow-writes=no"], "--allow-writes: takes no value"],
    [["--demo", "--server-url=http://127.0.0.1:9123"], "--demo: the demo works on the embedded engine"],
    [["--server-url=ftp://engine"], "--server-url: must be an http or https address"],
    [["--server-url=foo"], "--server-url: must be an http or https address"],
    [["--server-url="], "--server-url: must be an http or https address"],
    [["--server-url=http://"], "--server-url: must be an http or https address"],
    [["--server-url=engine:9123"], "--server-url: must be an http or https address"],
    [["--server-url=http://me:secret@engine"], "--server-url: must not hold a user"],
  ])("refuses %j and names the flag", (argv, message) => {
    expect(() => parseFlags(argv, source)).toThrow(FlagError);
    expect(() => parseFlags(argv, source)).toThrow(message);
  });

  it.each([
    ["--dmeo", "did you mean --demo?"],
    ["--Demo", "did you mean --demo?"],
    ["--allow-write", "did you mean --allow-writes?"],
    ["--server=http://x", "there is no such flag"],
    ["--mcpport=1", "did you mean --mcp-port?"],
    ["--data-dir=/x", "--help lists them"],
    ["--toString", "there is no such flag"],
    ["--__proto__", "there is no such flag"],
    ["demo", "did you mean --demo?"],
    ["-demo", "did you mean --demo?"],
    ["-Demo", "did you mean --demo?"],
    ["mcp-port=1", "did you mean --mcp-port?"],
    ["profile", "nothing is done with it"],
    ["/data", "nothing is done with it"],
    ["-x", "nothing is done with it"],
    ["", "nothing is done with it"],
    ["https://engine.example", "nothing is done with it"],
  ])("refuses %s, which would otherwise do nothing: %s", (flag, advice) => {
    expect(() => parseFlags([flag], source)).toThrow(FlagError);
    expect(() => parseFlags([flag], source)).toThrow(advice);
    expect(() => parseFlags([flag], source)).not.toThrow("http://x");
  });

  it.each([
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--enable-logging=stderr",
    "--ozone-platform=wayland",
    "--force-device-scale-factor=2",
    "--lang=de",
    "--gpu-preferences=x",
    "--v=1",
    "--",
  ])("leaves %s to Chromium, packaged too", (flag) => {
    expect(parseFlags([flag], packaged)).toEqual(parseFlags([], packaged));
  });

  it("takes what test drivers put in front", () => {
    const driver = ["-r", "/x/loader.js", "--inspect=0", "--remote-debugging-port=0", "/repository"];
    expect(parseFlags([...driver, "--demo"], source).demo).toBe(true);
    expect(parseFlags(["../../repository", "--demo"], source).demo).toBe(true);
    expect(() => parseFlags(["/repository"], packaged)).toThrow("nothing is done with it");
  });

  it.each([
    [["--demo", "--help"], "help"],
    [["-h"], "help"],
    [["--version"], "version"],
    [["--demo"], undefined],
  ])("%j asks for %s", (argv, wanted) => {
    expect(askedToInform(argv)).toBe(wanted);
  });

  it("explains every flag in its help, and no other", () => {
    const named = help.lines.flatMap((line) => /^ {2}--([a-z-]+)/.exec(line)?.[1] ?? []);
    expect(named.toSorted()).toEqual([...FLAG_NAMES].toSorted());
  });

  it("never repeats a password that was typed into an address", () => {
    for (const argument of ["--server-url=http://me:secret@engine", "http://me:secret@engine"]) {
      expect(() => parseFlags([argument], source)).toThrow(FlagError);
      expect(() => parseFlags([argument], source)).not.toThrow("secret");
    }
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
