import { expect, test } from "vitest";
import { desktopEnvironment } from "./desktop-environment.ts";

test("terminals start from the person's session, agents' doors and proxies included", () => {
  const session = {
    SSH_AUTH_SOCK: "/run/ssh",
    GPG_AGENT_INFO: "x",
    HTTPS_PROXY: "http://p",
    EDITOR: "vi",
    HOME: "/h",
  };
  expect(desktopEnvironment(session)).toEqual(session);
});

test("nothing of ours, no key of an engine and nothing that steers Node or Electron goes with it", () => {
  expect(
    desktopEnvironment({
      IRONBRIDGE_TOKEN: "t",
      IRONBRIDGE_BRIDGE_TOKEN: "t",
      IRONFLOW_API_KEY: "k",
      IRONFLOW_TERMINAL_BRIDGE_TOKEN: "t",
      ELECTRON_RUN_AS_NODE: "1",
      NODE_OPTIONS: "--inspect",
      npm_config_registry: "r",
      INIT_CWD: "/x",
      GONE: undefined,
    }),
  ).toEqual({});
});
