import { defineConfig, type Plugin } from "vitest/config";

const ignored = ["**/node_modules/**", "dist/**", ".cache/**", "e2e/**"];

/** Documents are imported as their text, as build/bundle.mjs does it. */
const markdownAsText: Plugin = {
  name: "markdown-as-text",
  enforce: "pre",
  transform: (text, id) =>
    id.endsWith(".md") ? { code: `export default ${JSON.stringify(text)}`, map: null } : undefined,
};

/**
 * How long a test waits for what it expects, and may take at all, ms. Far above what anything takes: a loaded machine is slow,
 * and that is no fault. What has to be quick says so in its own test.
 */
const WAITS_MS = 60_000;
const LIMITS = { expect: { poll: { timeout: WAITS_MS } }, testTimeout: 180_000, hookTimeout: 180_000 };

// Two kinds, told apart by name: pure tests, and tests with real children, shells and sockets.
// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [markdownAsText],
        test: {
          ...LIMITS,
          name: "unit",
          include: ["**/*.test.{ts,tsx,mjs}"],
          exclude: [...ignored, "**/*.process.test.*"],
        },
      },
      {
        plugins: [markdownAsText],
        test: {
          ...LIMITS,
          name: "process",
          include: ["**/*.process.test.{ts,mjs}"],
          exclude: ignored,
          fileParallelism: false,
        },
      },
    ],
  },
});
