import { afterEach, expect, it, vi } from "vitest";
import { run } from "./run.mjs";

afterEach(() => void vi.unstubAllEnvs());

const printsIts = (/** @type {string} */ names) =>
  run(
    process.execPath,
    ["-p", `${JSON.stringify(names.split(" "))}.map((name) => process.env[name] ?? "-").join()`],
    {
      cwd: "/",
      advice: "look here",
    },
  );

it("shows no key of ours to what the set-up runs, such as the install scripts of packages", async () => {
  vi.stubEnv("IRONFLOW_API_KEY", "secret");
  vi.stubEnv("IRONBRIDGE_TOKEN", "secret");
  vi.stubEnv("IRONFLOW_TERMINAL_BRIDGE_TOKEN", "secret");
  vi.stubEnv("SOMETHING", "else");
  const names = "IRONFLOW_API_KEY IRONBRIDGE_TOKEN IRONFLOW_TERMINAL_BRIDGE_TOKEN SOMETHING";
  expect(await printsIts(names)).toBe("-,-,-,else\n");
});
