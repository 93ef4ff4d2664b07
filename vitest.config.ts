import { defineConfig } from "vitest/config";

const ignored = ["**/node_modules/**", "dist/**", ".cache/**", "e2e/**"];

// Two kinds, told apart by name: pure tests, and tests with real children, shells and sockets.
// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["**/*.test.{ts,tsx,mjs}"],
          exclude: [...ignored, "**/*.process.test.*"],
        },
      },
      {
        test: {
          name: "process",
          include: ["**/*.process.test.{ts,mjs}"],
          exclude: ignored,
          testTimeout: 30_000,
          hookTimeout: 30_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
