import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Answer, RightsToAsk } from "../consent/consent.ts";
import { toolRow } from "../../mcp/contract/tool-row.ts";
import { openSettings } from "../settings.ts";
import { READ_ROW, WRITE_ROW } from "../testing/rows.ts";
import { permissionHandlers } from "./permissions.ts";

let folder: string;
let asked: RightsToAsk[];
let answer: Answer;
let told: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-permissions-"));
  asked = [];
  answer = { approved: true };
  told = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const app = toolRow({ ...READ_ROW, name: "ironbridge_app_only", for: "app" });
const handlers = () =>
  permissionHandlers({
    settings: openSettings(join(folder, "settings.json")),
    consent: {
      askRights: async (rights) => {
        asked.push(rights);
        return answer;
      },
    },
    rows: () => [READ_ROW, WRITE_ROW, app],
    onRightsChanged: () => void (told += 1),
    ending: new AbortController().signal,
  });
const put = (tool: string, permission: string | null) =>
  handlers()["tools:set-permission"]({ tool, permission });
const extra = async () => (await handlers()["tools:permissions"]({})).extra;

it("a permission is put on a tool at once, kept, and told", async () => {
  expect(await put(READ_ROW.name, "mcp.line3")).toEqual({ ok: true });
  expect(await put(READ_ROW.name, "mcp.line3")).toEqual({ ok: true });
  expect(await extra()).toEqual({ [READ_ROW.name]: "mcp.line3" });
  expect([asked.length, told]).toEqual([0, 2]);
});

it.each([null, "mcp.line4"])("taking it off, or another one in its place (%j), asks first", async (next) => {
  await put(READ_ROW.name, "mcp.line3");
  answer = {
    approved: false,
    error: { error: "no", code: "permission_denied", reason: "declined", retryable: false },
  };
  expect(await put(READ_ROW.name, next)).toMatchObject({ ok: false, error: { reason: "declined" } });
  expect(await extra()).toEqual({ [READ_ROW.name]: "mcp.line3" });
  answer = { approved: true };
  expect(await put(READ_ROW.name, next)).toEqual({ ok: true });
  expect(await extra()).toEqual(next === null ? {} : { [READ_ROW.name]: next });
  expect(asked).toHaveLength(2);
});

it("there is none for a tool that agents are never offered", async () => {
  expect((await handlers()["tools:permissions"]({})).tools.map(({ name }) => name)).not.toContain(app.name);
  for (const tool of [app.name, "missing"])
    expect(await put(tool, "mcp.x")).toMatchObject({ ok: false, error: { code: "not_found" } });
});

it("lost permissions are told until the person says that they are complete, in the consent window", async () => {
  const path = join(folder, "settings.json");
  writeFileSync(path, "{");
  const lost = async () => (await handlers()["tools:permissions"]({})).lost;
  expect((await lost())?.problem).toContain(path);
  await put(READ_ROW.name, "mcp.line3");
  answer = {
    approved: false,
    error: { error: "no", code: "permission_denied", reason: "declined", retryable: false },
  };
  expect(await handlers()["tools:permissions-complete"]({})).toMatchObject({ ok: false });
  expect(await lost()).not.toBeNull();
  answer = { approved: true };
  told = 0;
  expect(await handlers()["tools:permissions-complete"]({})).toEqual({ ok: true });
  expect(await lost()).toBeNull();
  expect(told).toBe(1);
  expect(asked[1]?.details[0]).toEqual({ label: READ_ROW.name, text: "needs mcp.line3" });
  asked = [];
  expect(await handlers()["tools:permissions-complete"]({})).toEqual({ ok: true });
  expect(asked).toEqual([]);
});
