import { join } from "node:path";
import { defineConfig } from "@playwright/test";

// oxlint-disable-next-line import/no-default-export -- Playwright reads the default export
export default defineConfig({
  testDir: ".",
  testMatch: "**/*.soak.ts",
  workers: 1,
  retries: 0,
  outputDir: join(import.meta.dirname, "..", "..", "test-results", "soak"),
  reporter: [["line"]],
});
