import { describe, expect, it } from "vitest";
import { environmentProblem, terminalEnvironment, withoutOurs } from "./terminal-environment.ts";

describe("the environment of a command", () => {
  const given = { requested: {}, marker: "life-0001", sessionId: "term_abcdefgh", cwd: "/srv" };

  it("has none of our variables but the two markers", () => {
    const base = {
      HOME: "/home/x",
      IRONBRIDGE_BRIDGE_TOKEN: "secret",
      IRONBRIDGE_SESSION: "another",
      IRONFLOW_TERMINAL_BRIDGE_TOKEN: "secret",
      IRONFLOW_API_KEY: "secret",
      ELECTRON_RUN_AS_NODE: "1",
      NODE_OPTIONS: "--inspect",
      IRONFLOW_URL: "stays: it is the person's",
    };
    const env = terminalEnvironment({ ...given, base });
    expect(env).toEqual({
      HOME: "/home/x",
      IRONFLOW_URL: "stays: it is the person's",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      TERM_PROGRAM: "Ironbridge",
      PWD: "/srv",
      IRONBRIDGE_SESSION: "life-0001",
      IRONBRIDGE_TERMINAL: "term_abcdefgh",
    });
  });

  it("has each variable once on Windows, where Path and PATH are one", () => {
    const base = { Path: "C:\\Windows", TEMP: "C:\\t" };
    const requested = { PATH: "C:\\tools" };
    const windows = terminalEnvironment({ ...given, base, requested, platform: "win32" });
    expect(windows).toMatchObject({ PATH: "C:\\tools", TEMP: "C:\\t" });
    expect(windows).not.toHaveProperty("Path");
    expect(terminalEnvironment({ ...given, base, requested, platform: "linux" })).toMatchObject({
      ...base,
      ...requested,
    });
  });

  it("does not describe the terminal that the app was started from", () => {
    const base = { TERM: "dumb", TMUX: "/tmp/x", COLUMNS: "300", SHLVL: "7", OLDPWD: "/", _: "/usr/bin/env" };
    const env = terminalEnvironment({ ...given, base });
    expect(Object.keys(env).sort()).toEqual(
      ["COLORTERM", "IRONBRIDGE_SESSION", "IRONBRIDGE_TERMINAL", "PWD", "TERM", "TERM_PROGRAM"].sort(),
    );
  });

  it("has what was asked for on top, the markers and the folder excepted", () => {
    const requested = { TERM: "vt100", NODE_OPTIONS: "--max-old-space-size=99", PWD: "/elsewhere" };
    const env = terminalEnvironment({ ...given, base: { A: "1", TERM: "dumb" }, requested });
    expect(env).toMatchObject({
      A: "1",
      TERM: "vt100",
      NODE_OPTIONS: "--max-old-space-size=99",
      PWD: "/srv",
    });
  });

  it("keeps odd names and values as they are", () => {
    const odd = { "BASH_FUNC_x%%": "() { :;\n}", EMPTY: "", LINES_OF: "a\nIRONBRIDGE_X=1" };
    expect(withoutOurs({ ...odd, GONE: undefined })).toEqual(odd);
  });
});

describe("what the system takes", () => {
  it("refuses one variable that is too long, by its name, counted in bytes", () => {
    const room = 128 * 1024 - "LONG".length - 2;
    expect(environmentProblem({ LONG: "x".repeat(room) })).toBeUndefined();
    expect(environmentProblem({ LONG: "x".repeat(room + 1) })).toBe(
      "environment variable LONG is over 131072 bytes",
    );
    expect(environmentProblem({ LONG: "€".repeat(room / 2) })).toContain("LONG");
  });

  it("refuses too much in all", () => {
    const many = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`V${index}`, "x".repeat(100_000)]),
    );
    expect(environmentProblem(many)).toBe("the environment is over 786432 bytes");
  });
});
