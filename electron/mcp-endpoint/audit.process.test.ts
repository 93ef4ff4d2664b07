import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAudit } from "./audit.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-audit-"));
  path = join(folder, "audit.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = () => new Date("2026-01-02T03:04:05Z");
const lines = () =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

describe("the audit", () => {
  it("has a line on disk by the time the write resolves, for its owner only", async () => {
    const audit = openAudit({ path, now, onLost: () => {} });
    await audit.write({ event: "mcp.call", user: "token:claude", detail: { tool: "x" } });
    expect(lines()).toEqual([
      { time: "2026-01-02T03:04:05.000Z", event: "mcp.call", user: "token:claude", detail: { tool: "x" } },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await audit.close();
  });

  it("keeps the order of many at once, one line each, whatever is in them", async () => {
    const audit = openAudit({ path, now, onLost: () => {} });
    const all = Array.from({ length: 300 }, (_, at) =>
      audit.write({ event: "mcp.call", user: "token:a\nb", detail: { at } }),
    );
    await Promise.all(all);
    expect(lines().map((line) => (line as { detail: { at: number } }).detail.at)).toEqual(
      all.map((_, at) => at),
    );
    await audit.close();
  });

  it("is added to by the next life of the app", async () => {
    for (const user of ["user", "token:a"]) {
      const audit = openAudit({ path, now, onLost: () => {} });
      await audit.write({ event: "mcp.call", user, detail: {} });
      await audit.close();
    }
    expect(lines()).toHaveLength(2);
  });

  it("begins a line of its own behind one that a crash, or a full disk, has torn", async () => {
    const torn = '{"time":"2026-01-02T03:04:05.000Z","event":"mcp.ca';
    writeFileSync(path, torn);
    const audit = openAudit({ path, now, onLost: () => {} });
    await audit.write({ event: "mcp.call", user: "user", detail: {} });
    await audit.write({ event: "mcp.result", user: "user", detail: {} });
    await audit.close();
    const [first, ...rest] = readFileSync(path, "utf8").split("\n");
    expect(first).toBe(torn);
    expect(rest.map((line) => (line === "" ? "" : (JSON.parse(line) as { event: string }).event))).toEqual([
      "mcp.call",
      "mcp.result",
      "",
    ]);
  });

  it("counts what it could not write, says so once, and lets the work go on", async () => {
    const causes: unknown[] = [];
    mkdirSync(path);
    const audit = openAudit({ path, now, onLost: (cause) => void causes.push(cause) });
    await audit.write({ event: "mcp.call", user: "user", detail: {} });
    await audit.write({ event: "mcp.call", user: "user", detail: {} });
    expect(audit.lost).toBe(2);
    expect(causes).toHaveLength(1);
    rmSync(path, { recursive: true });
    await audit.write({ event: "mcp.result", user: "user", detail: {} });
    expect(lines()).toHaveLength(1);
    expect(audit.lost).toBe(2);
    await audit.close();
  });
});
