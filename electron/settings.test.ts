import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launchSwitches } from "./connections.ts";
import { openSettings } from "./settings.ts";

const NOW = "2026-01-02T03:04:05.678Z";
const FORBIDS = {
  version: 1,
  theme: "dark",
  time_zone: "utc",
  tool_permissions: { ironflow_get_run: "mcp.line3" },
  stopped_since: "2025-12-31T00:00:00.000Z",
  writes: { embedded: { person: false, agents: true } },
  mcp_port: 4100,
};
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-settings-"));
  path = join(folder, "settings.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = () => openSettings(path, () => new Date(NOW));
const personMayWrite = () =>
  launchSwitches(true, { allowWrites: false, terminals: false }, open().stored.writes?.["embedded"])
    .personMayWrite;

describe("damaged settings", () => {
  const whole = JSON.stringify(FORBIDS);
  it.each([
    ["cut in the middle", whole.slice(0, whole.length / 2)],
    ["empty", ""],
    ["zeroes", "\0".repeat(64)],
    ["another kind of thing", "[]"],
    ["of a newer version", '{"version":2}'],
  ])("(%s) allow nothing that they may have forbidden, and say so", (_, text) => {
    writeFileSync(path, text);
    const { stored, problem } = open();
    expect(stored.stopped_since).toBe(NOW);
    expect(stored.permissions_lost).toEqual({ at: NOW, problem });
    expect(personMayWrite()).toBe(false);
    expect(problem).toContain(path);
  });

  it("stay closed at the next start, and the damaged file is kept", () => {
    writeFileSync(path, "{");
    const first = open();
    const next = open();
    expect(next.problem).toBeUndefined();
    expect(next.stored).toEqual(first.stored);
    const kept = readdirSync(folder).find((name) => name.includes("broken")) ?? "";
    expect(readFileSync(join(folder, kept), "utf8")).toBe("{");
  });

  it.each([
    ["stopped_since", 7],
    ["tool_permissions", "all"],
    ["tool_permissions", { ironflow_get_run: 7, ironflow_list_runs: "mcp.line4" }],
    ["writes", []],
    ["writes", { embedded: { person: "no" } }],
    ["permissions_lost", true],
    ["window", { x: "left" }],
    ["mcp_port", "4100"],
  ])("in one place (%s: %j) are closed in that place only", (field, value) => {
    writeFileSync(path, JSON.stringify({ ...FORBIDS, writes: { embedded: {} }, [field]: value }));
    const { stored } = open();
    expect(stored.stopped_since).toBe(field === "stopped_since" ? NOW : FORBIDS.stopped_since);
    expect(stored.permissions_lost !== undefined).toBe(
      field === "tool_permissions" || field === "permissions_lost",
    );
    expect(personMayWrite()).toBe(field !== "writes");
    expect(stored.theme).toBe("dark");
  });

  it("keep those permissions of single tools that can still be read", () => {
    const permissions = { ironflow_get_run: 7, ironflow_list_runs: "mcp.line4" };
    writeFileSync(path, JSON.stringify({ ...FORBIDS, tool_permissions: permissions }));
    expect(open().stored.tool_permissions).toEqual({ ironflow_list_runs: "mcp.line4" });
  });

  it("keep what can still be read of a switch", () => {
    writeFileSync(
      path,
      JSON.stringify({ ...FORBIDS, writes: { embedded: { person: true }, "https://a.example": 7 } }),
    );
    expect(personMayWrite()).toBe(true);
    expect(open().stored.writes).toEqual({ embedded: { person: true } });
  });
});

it("settings that are whole are as they were, and a profile without any is open", () => {
  expect(open().stored).toEqual({ version: 1, theme: "system", time_zone: "local" });
  expect(personMayWrite()).toBe(true);
  writeFileSync(path, JSON.stringify(FORBIDS));
  expect(open().stored).toEqual(FORBIDS);
  expect(personMayWrite()).toBe(false);
});
