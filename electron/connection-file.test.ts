import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { announce, readConnectionFile } from "./connection-file.ts";

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
let said: string[];
beforeEach(() => {
  said = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => said.push(String(text)) > 0);
  folder = mkdtempSync(join(tmpdir(), "ironbridge-connection-"));
  path = join(folder, "connection.json");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe("the connection file", () => {
  it("says how the app is found, to its owner only", () => {
    announce(path, () => content);
    expect(readConnectionFile(path)).toEqual(content);
    expect(said).toEqual([`ready ${path}\n`]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).not.toContain("ibk_");
  });

  it("is removed by the instance that wrote it and by no other", () => {
    const first = announce(path, () => content);
    const second = announce(path, () => ({ ...content, pid: 1 }));
    first.remove();
    expect(readConnectionFile(path)?.pid).toBe(1);
    second.remove();
    expect(readConnectionFile(path)).toBeUndefined();
  });

  it("is written again when the engine has moved, and not after its end", () => {
    let url = content.engine.url as string;
    const file = announce(path, () => ({ ...content, engine: { ...content.engine, url } }));
    url = "http://127.0.0.1:4000";
    file.refresh();
    expect(readConnectionFile(path)?.engine.url).toBe(url);
    file.remove();
    url = "http://127.0.0.1:5000";
    file.refresh();
    expect(readConnectionFile(path)).toBeUndefined();
  });

  it("that cannot be understood finds nobody", () => {
    writeFileSync(path, '{"version":1,');
    expect(readConnectionFile(path)).toBeUndefined();
  });
});
