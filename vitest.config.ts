import { defineConfig, type Plugin } from "vitest/config";

const ignored = ["**/node_modules/**", "dist/**", ".cache/**", "e2e/**"];

/** Documents are imported as their text, as build/bundle.mjs does it. */
const markdownAsText: Plugin = {
  name: "markdown-as-text",
  enforce: "pre",
  transform: (text, id) =>
    id.endsWith(".md") ? { code: `export default ${JSON.stringify(text)}`, map: null } : undefined,
};

// Two kinds, told apart by name: pure tests, and tests with real children, shells and sockets.
// oxlint-disable-next-line import/no-default-export -- vitest reads the default export
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [markdownAsText],
        test: {
          name: "unit",
          include: ["**/*.test.{ts,tsx,mjs}"],
          exclude: [...ignored, "**/*.process.test.*"],
        },
      },
      {
        plugins: [markdownAsText],
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
