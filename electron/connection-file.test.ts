import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConnectionFile, removeConnectionFile, writeConnectionFile } from "./connection-file.ts";

const content = {
  version: 1,
  pid: 4711,
  app: { name: "Ironbridge", version: "0.1.0", electron: "33.2.1" },
  mcp: { url: "http://127.0.0.1:4100/mcp", token_file: "/profile/local-token" },
  bridge: null,
  engine: { connection: "local", kind: "embedded", url: "http://127.0.0.1:9123" },
} as const;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-connection-"));
  path = join(folder, "connection.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the connection file", () => {
  it("says how the app is found, to its owner only", () => {
    writeConnectionFile(path, content);
    expect(readConnectionFile(path)).toEqual(content);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).not.toContain("ibk_");
  });

  it("is removed by the instance that wrote it and by no other", () => {
    writeConnectionFile(path, content);
    removeConnectionFile(path, 1);
    expect(readConnectionFile(path)).toBeDefined();
    removeConnectionFile(path, 4711);
    expect(readConnectionFile(path)).toBeUndefined();
  });

  it("that cannot be understood finds nobody", () => {
    writeFileSync(path, '{"version":1,');
    expect(readConnectionFile(path)).toBeUndefined();
  });
});
