import { describe, expect, it } from "vitest";
import { parseFlags } from "./flags.ts";

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
      expect(attempt).toThrow(/header|belongs to none/);
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
  expect(() => parseFlags(["--evidence"], {})).toThrow("Unknown option '--evidence'");
  expect(() => parseFlags(["--transport=streamable-http"], {})).toThrow("--transport must be stdio");
  expect(() => parseFlags(["--allow-writes=yes"], {})).toThrow("--allow-writes");
});
