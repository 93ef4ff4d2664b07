import { describe, expect, it } from "vitest";
import { networkEnv } from "./network-env.ts";

const proxies = { HTTPS_PROXY: "http://me:pw@proxy.test:1", no_proxy: "a.test" };
const trust = { NODE_EXTRA_CA_CERTS: "/ca.pem", SSL_CERT_FILE: "/roots.pem" };
const env = { ...proxies, ...trust, AWS_SECRET: "s", PATH: "/bin" };

describe("what a tool server is told of the network", () => {
  it.each([
    ["https://engine.test", { ...proxies, ...trust }],
    ["http://engine.test:9123", { ...proxies, ...trust }],
    ["https://localhost:9443", trust],
    ["https://127.0.0.1:9443", trust],
    ["https://[::1]:9443", trust],
    ["http://127.0.0.1:9123", {}],
    ["http://localhost:9123", {}],
  ])("for %s", (url, wanted) => {
    expect(networkEnv(url, env)).toEqual(wanted);
    expect(networkEnv(url, {})).toEqual({});
  });
});
