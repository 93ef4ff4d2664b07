// oxlint itself, with this project's configuration, over small files: one row per rule, forbidden and allowed.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../paths.mjs";

/** @type {[file: string, source: string][]} */
const FORBIDDEN = [
  ["electron/a1.ts", 'import { x } from "../engine/store/runs.ts"; export const y = x;'],
  ["electron/a2.ts", 'import { x } from "../engine/contract/api.ts"; export const y = x;'],
  ["electron/a3.ts", 'import { x } from "../renderer/window.ts"; export const y = x;'],
  ["electron/hub/a4.ts", 'import { x } from "../../mcp/server/main.ts"; export const y = x;'],
  ["electron/a5.ts", 'export { x } from "../bridge/session.ts";'],
  ["electron/a6.ts", 'export * from "../bridge/session.ts";'],
  ["electron/a7.ts", 'export const y = () => import("../engine/main.ts");'],
  ["electron/a8.ts", 'export const y = (): unknown => require("../engine/main.ts");'],
  ["electron/a9.ts", 'export type Y = import("../engine/main.ts").X;'],
  ["electron/a10.ts", 'import type { X } from "../engine/execute/timers.ts"; export type Y = X;'],
  ["electron/contract/b1.ts", 'import { x } from "../settings.ts"; export const y = x;'],
  ["electron/contract/b2.ts", 'import { x } from "hono"; export const y = x;'],
  ["electron/contract/b3.ts", 'import { x } from "node:fs"; export const y = x;'],
  ["electron/contract/b4.ts", 'import { x } from "electron"; export const y = x;'],
  ["electron/contract/b5.ts", 'import { x } from "../../engine/contract/api.ts"; export const y = x;'],
  ["electron/contract/b6.ts", 'import { x } from "../../mcp/client/session.ts"; export const y = x;'],
  ["engine/contract/b7.ts", 'import { x } from "../../mcp/contract/tools.ts"; export const y = x;'],
  ["mcp/contract/b8.ts", 'import { x } from "../../loopback/token.ts"; export const y = x;'],
  ["renderer/c1.ts", 'import { x } from "electron"; export const y = x;'],
  ["renderer/c2.ts", 'import { x } from "node:fs"; export const y = x;'],
  ["renderer/c3.ts", 'import { x } from "fs/promises"; export const y = x;'],
  ["renderer/c4.ts", 'import { x } from "../electron/main.ts"; export const y = x;'],
  ["renderer/c5.ts", 'import { x } from "../loopback/guard.ts"; export const y = x;'],
  ["renderer/c6.ts", 'import { x } from "../engine/contract/api.ts"; export const y = x;'],
  ["renderer/runs/c7.tsx", 'import { x } from "../../mcp/client/session.ts"; export const y = x;'],
  ["renderer/c8.test.ts", 'import { x } from "../electron/main.ts"; export const y = x;'],
  ["mcp/d1.ts", 'import { x } from "electron"; export const y = x;'],
  ["mcp/d2.ts", 'import { x } from "electron/main"; export const y = x;'],
  ["mcp/d3.ts", 'import { x } from "../electron/contract/ipc.ts"; export const y = x;'],
  ["mcp/d4.ts", 'import { x } from "../engine/store/runs.ts"; export const y = x;'],
  ["mcp/d5.ts", 'import { x } from "../bridge/session.ts"; export const y = x;'],
  ["bridge/d6.ts", 'import { x } from "electron"; export const y = x;'],
  ["bridge/d7.ts", 'import { x } from "../mcp/contract/tools.ts"; export const y = x;'],
  ["engine/d8.ts", 'import { x } from "electron"; export const y = x;'],
  ["engine/d9.ts", 'import { x } from "../bridge/contract/api.ts"; export const y = x;'],
  ["loopback/d10.ts", 'import { x } from "electron"; export const y = x;'],
  ["loopback/d11.ts", 'import { x } from "../engine/contract/api.ts"; export const y = x;'],
  ["e2e/e1.ts", 'import { x } from "../renderer/app.tsx"; export const y = x;'],
  ["engine/d12.ts", 'import { x } from "../build/arguments.mjs"; export const y = x;'],
  ["engine/d13.mjs", 'import { x } from "../bridge/session.ts"; export const y = x;'],
  ["e2e/e2.ts", 'import { x } from "../electron/hub/hub.ts"; export const y = x;'],
  ["electron/f1.ts", 'import { ipcMain } from "electron"; export const y: unknown = ipcMain;'],
  ["electron/f2.ts", 'import * as electron from "electron"; export const y: unknown = electron.ipcMain;'],
  [
    "electron/g1.ts",
    'export const y = (w: { webContents: { send(n: string): void } }) => w.webContents.send("x");',
  ],
  ["electron/g2.ts", 'export const y = (e: { sender: { send(n: string): void } }) => e.sender.send("x");'],
  ["electron/g3.ts", 'export const y = (webContents: { send(n: string): void }) => webContents.send("x");'],
];

/** @type {[file: string, source: string][]} */
const ALLOWED = [
  ["electron/ipc.ts", 'import { ipcMain } from "electron"; export const y: unknown = ipcMain;'],
  [
    "electron/send-event.ts",
    'export const y = (w: { webContents: { send(n: string): void } }) => w.webContents.send("x");',
  ],
  ["electron/ok1.ts", 'import { x } from "../mcp/client/session.ts"; export const y = x;'],
  ["electron/ok2.ts", 'import { x } from "../mcp/contract/tools.ts"; export const y = x;'],
  ["electron/ok3.ts", 'import { x } from "../bridge/contract/port.ts"; export const y = x;'],
  ["electron/ok4.ts", 'import { x } from "./contract/ipc.ts"; export const y = x;'],
  ["electron/ok5.ts", 'import { x } from "../loopback/launch.ts"; export const y = x;'],
  ["electron/ok6.ts", 'import { x } from "electron"; import { z } from "node:fs"; export const y = [x, z];'],
  ["electron/ok7.ts", 'export const y = (child: { send(n: string): void }) => child.send("x");'],
  ["electron/contract/ok8.ts", 'import * as z from "zod/v4"; export const y = z;'],
  ["electron/contract/ok9.ts", 'import { x } from "../../mcp/contract/domain.ts"; export const y = x;'],
  ["electron/contract/ok10.test.ts", 'import { x } from "fast-check"; export const y = x;'],
  ["mcp/ok11.ts", 'import { x } from "../engine/contract/api.ts"; export const y = x;'],
  ["mcp/server/ok12.ts", 'import { x } from "../../bridge/contract/api.ts"; export const y = x;'],
  ["mcp/server/ok13.ts", 'import { x } from "../../loopback/listen.ts"; export const y = x;'],
  ["engine/ok14.ts", 'import { x } from "../loopback/listen.ts"; export const y = x;'],
  ["renderer/ok15.tsx", 'import { x } from "../electron/contract/ipc.ts"; export const y = x;'],
  ["renderer/runs/ok16.ts", 'import { x } from "../../mcp/contract/domain.ts"; export const y = x;'],
  ["renderer/ok17.ts", 'import { x } from "react"; export const y = x;'],
  ["renderer/ok18.test.ts", 'import { x } from "node:fs"; export const y = x;'],
  ["bridge/ok19.test.ts", 'import { x } from "../build/paths.mjs"; export const y = x;'],
  ["engine/soak/ok22.mjs", 'import { x } from "../../build/arguments.mjs"; export const y = x;'],
  ["e2e/ok20.ts", 'import { x } from "../build/app.mjs"; export const y = x;'],
  ["e2e/ok21.ts", 'import { x } from "../engine/contract/api.ts"; export const y = x;'],
];

const RULES = new Set(["ironbridge(folders)", "ironbridge(ipc-door)", "ironbridge(send-door)"]);

describe("[G2] the import rules of .oxlintrc.json", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ironbridge-lint-")));
  /** @type {Set<string>} */
  const refused = new Set();
  let filesSeen = 0;

  beforeAll(() => {
    cpSync(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
    cpSync(join(ROOT, "build/lint"), join(folder, "build/lint"), { recursive: true });
    for (const [file, source] of [...FORBIDDEN, ...ALLOWED]) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), source);
    }
    const oxlint = join(ROOT, "node_modules/oxlint/bin/oxlint");
    const run = spawnSync(process.execPath, [oxlint, "--format", "json", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    const { diagnostics, number_of_files } = JSON.parse(run.stdout);
    for (const { code, filename } of diagnostics) if (RULES.has(code)) refused.add(filename);
    filesSeen = number_of_files;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  it("looks at every file of the tables", () => {
    expect(filesSeen).toBeGreaterThanOrEqual(FORBIDDEN.length + ALLOWED.length);
  });

  it.each(FORBIDDEN)("refuses %s: %s", (file) => {
    expect(refused.has(file)).toBe(true);
  });

  it.each(ALLOWED)("allows %s: %s", (file) => {
    expect(refused.has(file)).toBe(false);
  });
});
