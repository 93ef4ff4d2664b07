import { describe, expect, it } from "vitest";
import { proxyAuthorization, proxyFor } from "./proxy.ts";

const chosen = (target: string, env: Record<string, string>) => proxyFor(new URL(target), env)?.href;
const PROXY = "http://proxy.test:3128/";

describe("the proxy of an address", () => {
  it.each([
    ["https://engine.test/", { HTTPS_PROXY: PROXY }, PROXY],
    ["https://engine.test/", { https_proxy: PROXY, HTTPS_PROXY: "http://other.test" }, PROXY],
    ["https://engine.test/", { HTTP_PROXY: PROXY }, undefined],
    ["http://engine.test/", { HTTP_PROXY: "proxy.test:3128" }, PROXY],
    ["http://engine.test/", { HTTPS_PROXY: PROXY }, undefined],
    ["http://engine.test/", { ALL_PROXY: PROXY }, PROXY],
    ["http://engine.test/", { HTTP_PROXY: "" }, undefined],
    ["http://localhost:9123/", { HTTP_PROXY: PROXY }, undefined],
    ["http://127.0.0.1:9123/", { HTTP_PROXY: PROXY }, undefined],
    ["https://[::1]/", { HTTPS_PROXY: PROXY }, undefined],
    ["http://localhost.evil.test/", { HTTP_PROXY: PROXY }, PROXY],
  ])("%s with %j", (target, env, expected) => {
    expect(chosen(target, env as Record<string, string>)).toBe(expected);
  });

  it.each([
    ["engine.test", true],
    [".engine.test", true],
    ["*.engine.test", true],
    ["a.engine.test", true],
    ["other.test, engine.test", true],
    ["other.test engine.test", true],
    ["*", true],
    ["ENGINE.test", true],
    ["a.engine.test:443", true],
    ["a.engine.test:444", false],
    ["ngine.test", false],
    ["b.engine.test", false],
    ["", false],
    [",", false],
  ])("is not used where NO_PROXY is %j: %s", (list, isExempt) => {
    const env = { HTTPS_PROXY: PROXY, NO_PROXY: list };
    expect(chosen("https://a.engine.test/", env) === undefined).toBe(isExempt);
  });

  it("has to be an http or https address, and the error keeps its password to itself", () => {
    const env = { HTTPS_PROXY: "socks5://user:hunter2@proxy.test" };
    expect(() => chosen("https://engine.test/", env)).toThrow("HTTPS_PROXY must be an http or https address");
    expect(() => chosen("https://engine.test/", env)).not.toThrow("hunter2");
  });

  it("may carry a name and password, which go into a header", () => {
    expect(proxyAuthorization(new URL("http://u:p%40ss@proxy.test"))).toBe(
      `Basic ${Buffer.from("u:p@ss").toString("base64")}`,
    );
    expect(proxyAuthorization(new URL(PROXY))).toBeUndefined();
    const wrong = () => proxyAuthorization(new URL("http://u:hunter%2@proxy.test:1"));
    expect(wrong).toThrow(
      "the name or password of the proxy at proxy.test:1 is not percent-encoded correctly",
    );
    expect(wrong).not.toThrow("hunter");
  });
});
