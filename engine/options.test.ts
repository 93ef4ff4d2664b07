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
  [["--data-dir=d", "--port=x"], /--port: /],
  [["--data-dir=d", "--port=70000"], /--port/],
  [["--data-dir=d", "--env=a b"], /--env: /],
  [["--data-dir=d", "--nonsense"], /nonsense/],
  [["--data-dir=d", "--push-timeout-ms=99"], /--push-timeout-ms: /],
  [["--data-dir=d", "--push-timeout-ms=1e3"], /--push-timeout-ms: must be a whole number/],
  [["--data-dir=d", "--retention-days=0"], /--retention-days: /],
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
