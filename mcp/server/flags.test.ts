import { describe, expect, it } from "vitest";
import { HELP, parseFlags } from "./flags.ts";

const options = (args: string[], env: Record<string, string> = {}) => {
  const request = parseFlags(args, env);
  if (request.kind !== "serve") throw new Error("expected to serve");
  return request.options;
};

describe("the engine's address", () => {
  it("is the flag, else the variable, else localhost:9123", () => {
    const env = { IRONFLOW_SERVER_URL: "http://127.0.0.1:1" };
    expect(options(["--server-url", "http://127.0.0.1:2"], env).serverUrl).toBe("http://127.0.0.1:2");
    expect(options([], env).serverUrl).toBe("http://127.0.0.1:1");
    expect(options([], { IRONFLOW_SERVER_URL: "" }).serverUrl).toBe("http://localhost:9123");
  });

  it("loses its last slash and keeps its path", () => {
    expect(options(["--server-url=https://host/engine/"]).serverUrl).toBe("https://host/engine");
  });

  it.each([
    ["nonsense", "must be an address"],
    ["file:///etc/passwd", "must begin with http"],
    ["http://user:pass@host", "must not carry a name or password"],
    ["http://host/?api_key=x", "must have no query"],
  ])("may not be %s", (url, message) => {
    expect(() => parseFlags(["--server-url", url], {})).toThrow(`--server-url ${message}`);
    expect(() => parseFlags([], { IRONFLOW_SERVER_URL: url })).toThrow(`IRONFLOW_SERVER_URL ${message}`);
  });
});

describe("secrets", () => {
  it("come from the flag first, then from the environment", () => {
    expect(options(["--api-key", "ifkey_a"], { IRONFLOW_API_KEY: "ifkey_b" }).apiKey).toBe("ifkey_a");
    expect(options([], { IRONFLOW_API_KEY: "ifkey_b" }).apiKey).toBe("ifkey_b");
    expect(options([], { IRONFLOW_API_KEY: "" }).apiKey).toBeUndefined();
  });

  it("are never repeated by a refusal", () => {
    const attempts = [
      () => parseFlags([], { IRONFLOW_API_KEY: "hidden value" }),
      () => parseFlags(["--api-key", "hidden\nvalue"], {}),
      () => parseFlags(["hidden-value"], {}),
    ];
    for (const attempt of attempts) {
      expect(attempt).toThrow(/header|word 1 of the command line belongs to no flag; --help lists them/);
      expect(attempt).not.toThrow(/hidden/);
    }
  });
});

describe("the terminal bridge", () => {
  const token = { IRONFLOW_TERMINAL_BRIDGE_TOKEN: "ibk_token" };
  const flags = (url: string) => ["--allow-writes", "--terminal-bridge-url", url];

  it("needs writes, a loopback address and the token in the environment", () => {
    expect(options(flags("http://127.0.0.1:4100"), token).terminal).toEqual({
      url: "http://127.0.0.1:4100",
      token: "ibk_token",
    });
    expect(() => parseFlags(["--terminal-bridge-url", "http://127.0.0.1:1"], token)).toThrow(
      "needs --allow-writes",
    );
    expect(() => parseFlags(flags("http://127.0.0.1:1"), {})).toThrow("needs IRONFLOW_TERMINAL_BRIDGE_TOKEN");
  });

  it.each([
    "http://10.0.0.1:1",
    "https://127.0.0.1:1",
    "http://127.0.0.1.evil.example:1",
    "http://u:p@127.0.0.1:1",
    "127.0.0.1:1",
  ])("may not be at %s", (url) => {
    expect(() => parseFlags(flags(url), token)).toThrow("--terminal-bridge-url must be a plain http address");
  });
});

it("refuses flags and words that it does not know", () => {
  expect(() => parseFlags(["--evidence"], {})).toThrow(
    "--evidence: there is no such flag; --help lists them",
  );
  expect(() => parseFlags(["--alow-writes"], {})).toThrow("(did you mean --allow-writes?)");
  expect(() => parseFlags(["--allow-writes=yes"], {})).toThrow("--allow-writes: takes no value");
});

it("tells in its help every code that it ends with", () => {
  const [, codes = ""] = HELP.split("Exit codes: ");
  expect(codes.match(/\b\d\b/g)).toEqual(["0", "1", "4", "3", "5", "6", "7"]);
});

describe("--try-tool", () => {
  it("takes the tool's arguments as JSON, none when they are left out", () => {
    expect(parseFlags(["--try-tool=shop.refund", '--arguments={"order":7}'], {})).toMatchObject({
      kind: "try",
      tool: "shop.refund",
      args: { order: 7 },
    });
    expect(parseFlags(["--try-tool", "x"], {})).toMatchObject({
      kind: "try",
      args: {},
      dryRun: false,
      declaration: undefined,
    });
    const secret = "a1".repeat(32);
    const env = { IRONFLOW_AGENT_TOOLS_SECRET: secret };
    const from = ["--try-tool=x", "--declaration=/f", "--dry-run"];
    expect(parseFlags(from, env)).toMatchObject({
      dryRun: true,
      declaration: { file: "/f", secretHex: secret },
    });
    expect(parseFlags(from, {})).toMatchObject({ declaration: { file: "/f", secretHex: undefined } });
    expect(() => parseFlags(from, { IRONFLOW_AGENT_TOOLS_SECRET: "short" })).toThrow(
      "IRONFLOW_AGENT_TOOLS_SECRET must be 32 bytes as 64 hexadecimal digits",
    );
  });

  it.each([
    [["--try-tool=x", "--arguments=[1]"], "--arguments must be a JSON object"],
    [["--try-tool=x", "--arguments={"], "--arguments must be a JSON object"],
    [["--arguments={}"], "--arguments needs --try-tool"],
    [["--declaration=/f"], "--declaration needs --try-tool"],
    [["--dry-run"], "--dry-run needs --try-tool"],
    [["--try-tool="], "--try-tool must be the name of a tool"],
  ])("refuses %j", (args, message) => {
    expect(() => parseFlags(args, {})).toThrow(message);
  });
});

it("takes --static-only and an evidence file", () => {
  expect(options([])).toMatchObject({ staticOnly: false, evidenceFile: undefined });
  expect(options(["--static-only", "--allow-writes", "--evidence-file=/e"])).toMatchObject({
    staticOnly: true,
    evidenceFile: "/e",
  });
  expect(() => parseFlags(["--evidence-file="], {})).toThrow("--evidence-file must be a path");
  expect(() => parseFlags(["--evidence-file=/e"], {})).toThrow("--evidence-file needs --allow-writes");
});

describe("--attach", () => {
  const env = { IRONBRIDGE_TOKEN: "ibk_token" };

  it("takes the token from the environment and the file from the flag, else the variable", () => {
    expect(parseFlags(["--attach"], env)).toEqual({
      kind: "attach",
      connectionFile: undefined,
      token: "ibk_token",
    });
    const named = { ...env, IRONBRIDGE_CONNECTION_FILE: "/a" };
    expect(parseFlags(["--attach"], named)).toMatchObject({ connectionFile: "/a" });
    expect(parseFlags(["--attach", "--connection-file=/b"], named)).toMatchObject({ connectionFile: "/b" });
  });

  it.each([
    [["--attach"], {}, "IRONBRIDGE_TOKEN is needed in the environment"],
    [["--attach"], { IRONBRIDGE_TOKEN: "a b" }, "IRONBRIDGE_TOKEN has characters"],
    [["--attach", "--allow-writes"], env, "--allow-writes means nothing beside --attach"],
    [["--connection-file=/b"], env, "--connection-file needs --attach"],
  ])("refuses %j with %j", (args, variables, message) => {
    expect(() => parseFlags(args, variables as Record<string, string>)).toThrow(message);
  });
});

describe("the transport", () => {
  const env = { IRONFLOW_MCP_BEARER_TOKEN: "sixteen-letters~" };
  const http = ["--transport", "streamable-http"];

  it("is stdio, which ignores where to listen", () => {
    expect(options(["--port=1", "--port-file=/p"]).transport).toEqual({ kind: "stdio" });
    expect(options(["--host=0.0.0.0", "--port=x", "--port-file="]).transport).toEqual({ kind: "stdio" });
    expect(options([], { IRONFLOW_MCP_BEARER_TOKEN: "a b" }).transport).toEqual({ kind: "stdio" });
  });

  it("may be HTTP on loopback, on a port that the system picks unless one is named", () => {
    expect(options(http, env).transport).toEqual({
      kind: "http",
      port: 0,
      portFile: undefined,
      token: "sixteen-letters~",
    });
    expect(options([...http, "--host=localhost"], env).transport).toMatchObject({ kind: "http" });
    expect(options([...http, "--port=8123", "--port-file=/p"], env).transport).toMatchObject({
      port: 8123,
      portFile: "/p",
    });
  });

  it.each([
    [http, {}, "needs IRONFLOW_MCP_BEARER_TOKEN in the environment"],
    [[...http, "--host=0.0.0.0"], env, "--host must be 127.0.0.1"],
    [[...http, "--port=65536"], env, "--port must be a number from 0 to 65535"],
    [[...http, "--port=-1"], env, "--port must be a number"],
    [[...http, "--app"], env, "--app needs --transport stdio"],
    [["--transport", "sse"], env, "--transport must be stdio or streamable-http"],
    [http, { IRONFLOW_MCP_BEARER_TOKEN: "a b" }, "IRONFLOW_MCP_BEARER_TOKEN has characters"],
    [
      http,
      { IRONFLOW_MCP_BEARER_TOKEN: "fifteen-letters" },
      "IRONFLOW_MCP_BEARER_TOKEN is shorter than 16 characters",
    ],
  ])("refuses %j with %j", (args, variables, message) => {
    expect(() => parseFlags(args, variables as Record<string, string>)).toThrow(message);
  });
});
