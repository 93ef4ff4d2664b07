import { expect, it } from "vitest";
import { HELP } from "./help.ts";
import { OPTION_NAMES, parseOptions } from "./options.ts";

it("reads its options, and prefers 9123 when no port is named", () => {
  expect(parseOptions(["--data-dir=/d"], {})).toMatchObject({
    ports: [9123, 0],
    dataDir: "/d",
    dev: false,
    environment: "default",
    exitWithStdin: false,
    signingKey: undefined,
  });
  const all = ["--port=1,0", "--data-dir=d", "--dev", "--env=staging", "--exit-with-stdin"];
  expect(parseOptions(all, { IRONFLOW_SIGNING_KEY: "k" })).toMatchObject({
    ports: [1, 0],
    dev: true,
    environment: "staging",
    exitWithStdin: true,
    signingKey: "k",
  });
});

it.each([
  [[], /--data-dir: is required/],
  [["--data-dir="], /--data-dir: is required/],
  [["--data-dir=d", "--port=x"], /^--port: must be a port from 0 to 65535, or up to 16 of them/],
  [["--data-dir=d", "--port=70000"], /^--port: must be a port from 0 to 65535, or up to 16 of them/],
  [
    ["--data-dir=d", `--port=${"0,".repeat(16)}0`],
    /^--port: must be a port from 0 to 65535, or up to 16 of them/,
  ],
  [["--data-dir=d", "--env=a b"], /--env: /],
  [["--data-dir=d", "--nonsense"], /^--nonsense: there is no such flag$/],
  [["--dta-dir=d"], /^--dta-dir: there is no such flag \(did you mean --data-dir\?\)$/],
  [["--data-dir=d", "nonsense"], /^word 2 of the command line belongs to no flag$/],
  [["--data-dir=d", "--lease-ms=99"], /^--lease-ms: must be a whole number from 100 to 3600000$/],
  [
    ["--data-dir=d", "--push-timeout-ms=3600001"],
    /^--push-timeout-ms: must be a whole number from 100 to 3600000$/,
  ],
  [
    ["--data-dir=d", "--push-timeout-ms=1e3"],
    /^--push-timeout-ms: must be a whole number from 100 to 3600000$/,
  ],
  [["--data-dir=d", "--retention-days=0"], /^--retention-days: must be a whole number from 1 to 36500$/],
])("refuses %j", (argv, message) => {
  expect(() => parseOptions(argv, {})).toThrow(message);
});

it("explains every option in its help, and no other", () => {
  expect(parseOptions(["--help"], {})).toBe("help");
  expect(parseOptions(["-h", "--dev"], {})).toBe("help");
  const named = [...HELP.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name);
  expect(named).toHaveLength(new Set(named).size);
  expect(new Set(named)).toEqual(new Set(OPTION_NAMES));
});

it("names the variable whose number it cannot use, and what it must be", () => {
  const env = (text: string) => ({ IRONFLOW_AGENT_TOOLS_MAX_TIMEOUT_MS: text });
  expect(parseOptions(["--data-dir=d"], env("5"))).toMatchObject({ toolTimeoutMs: 5 });
  for (const text of ["0", "x"])
    expect(() => parseOptions(["--data-dir=d"], env(text))).toThrow(
      /^IRONFLOW_AGENT_TOOLS_MAX_TIMEOUT_MS: must be a whole number from 1 to \d+$/,
    );
});
