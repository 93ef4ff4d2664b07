import { describe, expect, it } from "vitest";
import { nodeProgram, ownProcessEnv } from "./environment.ts";

describe("ownProcessEnv", () => {
  const from = {
    HOME: "/home/a",
    PATH: "/bin",
    LANG: "de_CH.UTF-8",
    LC_ALL: "C",
    LC_TIME: "C",
    DISPLAY: ":1",
    TZ: undefined,
    IRONBRIDGE_TOKEN: "secret",
    IRONBRIDGE_SESSION: "of another life",
    IRONFLOW_API_KEY: "secret",
    GITHUB_TOKEN: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
    NODE_OPTIONS: "--inspect",
    NODE_PATH: "/x",
    ELECTRON_RUN_AS_NODE: "1",
    LD_PRELOAD: "/x.so",
    DYLD_INSERT_LIBRARIES: "/x.dylib",
    BASH_ENV: "/x",
    HTTPS_PROXY: "http://user:secret@proxy",
    SSH_AUTH_SOCK: "/x",
    npm_config_token: "secret",
    path: "/not/the/PATH",
  };

  it("inherits what is on the list and nothing else", () => {
    expect(ownProcessEnv({ from, platform: "linux" })).toStrictEqual({
      HOME: "/home/a",
      PATH: "/bin",
      LANG: "de_CH.UTF-8",
      LC_ALL: "C",
      LC_TIME: "C",
      DISPLAY: ":1",
    });
  });

  it("carries the session's marker and what is given on top", () => {
    const env = ownProcessEnv({ from: {}, session: "s-1", extra: { IRONBRIDGE_TOKEN: "t", PATH: "/x" } });
    expect(env).toStrictEqual({ IRONBRIDGE_SESSION: "s-1", IRONBRIDGE_TOKEN: "t", PATH: "/x" });
  });

  it("knows Windows' names in any case", () => {
    const windows = {
      Path: "C:\\",
      SystemRoot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\P",
      NODE_OPTIONS: "x",
      LC_ALL: "C",
    };
    expect(ownProcessEnv({ from: windows, platform: "win32" })).toStrictEqual({
      Path: "C:\\",
      SystemRoot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\P",
    });
  });
});

describe("nodeProgram", () => {
  it("runs an entry with the Node that runs this", () => {
    expect(nodeProgram("/x/engine.cjs", ["--a"])).toStrictEqual({
      command: process.execPath,
      args: ["/x/engine.cjs", "--a"],
      extra: process.versions["electron"] === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" },
    });
  });
});
