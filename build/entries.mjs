// One self-contained file per process. A name here is a file in dist/: `<name>.cjs`.

/**
 * @typedef {object} Entry
 * @property {string} source path from the repository's root
 * @property {boolean} [executable] started by name from a shell, so it gets a first line and the executable bit
 */

/** @type {Record<string, Entry>} */
export const NODE_ENTRIES = {
  main: { source: "electron/main.ts" },
  preload: { source: "electron/preload.ts" },
  "consent-preload": { source: "electron/consent/preload.ts" },
  bridge: { source: "bridge/main.ts" },
  "mcp-server": { source: "mcp/server/main.ts", executable: true },
  engine: { source: "engine/main.ts" },
  "engine-sql": { source: "engine/sql/main.ts" },
  demo: { source: "engine/demo/main.ts" },
  reaper: { source: "loopback/reaper-main.ts" },
};

/** Folders whose sources end up in one of the files above. */
export const NODE_FOLDERS = ["bridge", "electron", "engine", "loopback", "mcp"];

/** Vite's configuration; the name under which `node build/bundle.mjs NAME` knows the pages is `renderer`. */
export const RENDERER_CONFIG = "renderer/vite.config.ts";

/** Folders whose sources end up in the pages: its own, and the contracts it imports. */
export const RENDERER_FOLDERS = ["renderer", "bridge/contract", "electron/contract", "mcp/contract"];
