import { join } from "node:path";
import { defineConfig } from "@playwright/test";

const results = join(import.meta.dirname, "..", "test-results");

// oxlint-disable-next-line import/no-default-export -- Playwright reads the default export
export default defineConfig({
  testDir: ".",
  testMatch: "**/*.e2e.ts",
  // One app at a time: they share the two cores, the screen and the well-known port of the engine.
  workers: 1,
  // A test that passes at the second try has shown that something is wrong.
  retries: 0,
  forbidOnly: process.env["CI"] !== undefined,
  // Far above what anything takes: a loaded machine is slow, and that is no fault. What has to be quick says so by `within`.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  outputDir: join(results, "e2e"),
  reporter: [["list"], ["json", { outputFile: join(results, "e2e.json") }]],
  use: { trace: "retain-on-failure" },
});
