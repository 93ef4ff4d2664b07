import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_REMEMBERED, openRemembered, type Subject } from "./remembered.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-remembered-"));
  path = join(folder, "remembered.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = () => openRemembered(path, () => new Date("2026-01-01T00:00:00Z"));
const subject: Subject = { caller: "claude", tokenId: "h1", tool: "ironflow_cancel_run", engine: "embedded" };

describe("a remembered answer", () => {
  it("is good for its token, tool and engine, also after a restart, and for nothing else", () => {
    open().add(subject);
    const remembered = open();
    expect(remembered.has(subject)).toBe(true);
    expect(remembered.has({ ...subject, tokenId: "h2" })).toBe(false);
    expect(remembered.has({ ...subject, tool: "ironflow_kv_put" })).toBe(false);
    expect(remembered.has({ ...subject, engine: "http://127.0.0.1:9123" })).toBe(false);
  });

  it("is listed without what identifies the token, once, and is asked again when it is taken back", () => {
    const remembered = open();
    remembered.add(subject);
    remembered.add(subject);
    const [row, ...more] = remembered.list();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ caller: "claude", tool: "ironflow_cancel_run", engine: "embedded" });
    expect(JSON.stringify(row)).not.toContain("h1");
    expect(remembered.forget("another")).toBe(false);
    expect(remembered.forget(row?.id ?? "")).toBe(true);
    expect(remembered.has(subject)).toBe(false);
    expect(open().list()).toEqual([]);
  });

  it("goes with its token", () => {
    const remembered = open();
    remembered.add(subject);
    remembered.add({ ...subject, tokenId: "h2", caller: "other" });
    remembered.forgetTokens((tokenId) => tokenId === "h2");
    expect(remembered.list().map(({ caller }) => caller)).toEqual(["other"]);
  });

  it("makes way, the oldest first, when there are too many", () => {
    const answers = Array.from({ length: MAX_REMEMBERED }, (_, at) => ({
      id: `a${at}`,
      caller: "claude",
      token_id: "h1",
      tool: `tool_${at}`,
      engine: "embedded",
      since: "2026-01-01T00:00:00Z",
    }));
    writeFileSync(path, JSON.stringify({ version: 1, answers }));
    const remembered = open();
    remembered.add({ ...subject, tool: `tool_${MAX_REMEMBERED}` });
    expect(remembered.list()).toHaveLength(MAX_REMEMBERED);
    expect(remembered.has({ ...subject, tool: "tool_0" })).toBe(false);
    expect(remembered.has({ ...subject, tool: `tool_${MAX_REMEMBERED}` })).toBe(true);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ version: 1 });
  });
});
