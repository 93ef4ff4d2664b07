import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { consentRequests } from "./contract/consent.ts";
import { requests } from "./contract/ipc.ts";
import { answerRequests, type Door } from "./ipc.ts";
import { channels, invoke, invokeText } from "./testing/electron-mock.ts";

vi.mock("electron", () => import("./testing/electron-mock.ts"));

const OURS = { ours: true };
const THEIRS = { ours: false };
/** Arguments that each row takes. */
const GOOD: Record<string, unknown> = {
  "settings:set": { theme: "dark" },
  "connections:restart": { connection: "local" },
  "connections:set-writes": { connection: "local", who: "agents", allowed: true },
  "engines:add": { name: "Staging", url: "https://engine.example", person_may_write: false },
  "engines:switch": { id: "local" },
  "engines:rename": { id: "staging-1", name: "Test" },
  "engines:set-key": { id: "staging-1", api_key: null },
  "engines:remove": { id: "staging-1" },
  "engines:test": { id: "staging-1" },
  "tool:call": { connection: "local", tool: "ironflow_list_runs", arguments: {} },
  "tokens:create": { name: "claude", permissions: ["mcp.call"] },
  "tokens:change": { name: "claude", permissions: ["mcp.call"] },
  "tools:set-permission": { tool: "ironflow_list_runs", permission: "mcp.line3" },
  "remembered:forget": { id: "r" },
  "tokens:revoke": { name: "claude" },
  "probe:open": { connection: "local", permissions: ["mcp.call"] },
  "probe:call": {
    probe: "probe_00000000-0000-0000-0000-000000000000",
    era: "handshake",
    tool: "ironflow_list_runs",
    arguments: {},
  },
  "probe:close": { probe: "probe_00000000-0000-0000-0000-000000000000" },
  "terminals:attach": {
    session_id: "term_12345678",
    attach_id: "3f0c5a52-6a0f-4c35-9d2f-5d2f0f3f9a11",
  },
  "terminals:in-view": { session_ids: ["term_12345678"] },
  "terminals:stop": { session_id: "term_12345678" },
  "terminals:close": { session_id: "term_12345678" },
  "terminals:restart": { session_id: "term_12345678" },
  "terminals:save": { session_id: "term_12345678", format: "text" },
  "terminals:rename": { session_id: "term_12345678", name: "deploy" },
  "terminals:command": { session_id: "term_12345678" },
  "terminals:open-link": { url: "https://example.org/" },
  "consent:answer": { question_id: "q", answer: "approve" },
};

const doors: { door: Door; rows: typeof requests | typeof consentRequests }[] = [
  { door: "main", rows: requests },
  { door: "consent", rows: consentRequests },
];

describe.each(doors)("the door of the $door window", ({ door, rows }) => {
  const names = Object.keys(rows);
  let called: string[];
  let answer: (name: string) => unknown;
  let takeBack: () => void;

  beforeEach(() => {
    called = [];
    answer = () => ({});
    const handlers = Object.fromEntries(
      names.map((name) => [
        name,
        async () => {
          called.push(name);
          return answer(name);
        },
      ]),
    );
    takeBack = answerRequests(
      door,
      rows,
      handlers as never,
      (event) => (event as unknown as { ours: boolean }).ours,
    );
  });
  afterEach(() => takeBack());

  it.each(names)("%s is refused to a sender that is not this window, and nothing runs", async (name) => {
    await expect(invoke(`${door}/${name}`, THEIRS, GOOD[name] ?? {})).rejects.toThrow(
      `${name}: untrusted sender`,
    );
    expect(called).toEqual([]);
  });

  it.each(names)("%s is refused with an argument it does not have, which is named", async (name) => {
    const argument = { ...(GOOD[name] as object | undefined), surprise: 1 };
    await expect(invoke(`${door}/${name}`, OURS, argument)).rejects.toThrow(/surprise/);
    await expect(invoke(`${door}/${name}`, OURS, "text")).rejects.toThrow(`${name}: argument: `);
    expect(called).toEqual([]);
  });

  it("takes an argument as text only, and hands an answer out as text", async () => {
    const name = names.find((one) => !(one in GOOD)) ?? "";
    for (const raw of [{}, "{", undefined])
      await expect(invokeText(`${door}/${name}`, OURS, raw)).rejects.toThrow(
        `${name}: argument: is not JSON`,
      );
    expect(called).toEqual([]);
  });

  it.each(names)("%s runs its handler with an argument that fits", async (name) => {
    await invoke(`${door}/${name}`, OURS, GOOD[name] ?? {}).catch(
      () => "the answer {} does not fit every row",
    );
    expect(called).toEqual([name]);
  });

  it("does not hand out an answer of a wrong shape", async () => {
    const name = door === "main" ? "app:info" : "consent:answer";
    answer = () => ({ secret: "x" });
    await expect(invoke(`${door}/${name}`, OURS, GOOD[name] ?? {})).rejects.toThrow(
      "the answer has a wrong shape",
    );
  });

  it("has its own channels only, and none once it is taken back", () => {
    expect(channels()).toEqual(names.map((name) => `${door}/${name}`).sort());
    takeBack();
    expect(channels()).toEqual([]);
  });
});

it("a payload crosses exactly, members named __proto__ among them", async () => {
  const text = '{"__proto__":{"admin":true},"constructor":1,"list":[{"__proto__":null}]}';
  let given = "";
  const takeBack = answerRequests(
    "main",
    { "tool:call": requests["tool:call"] },
    {
      async "tool:call"(call) {
        given = JSON.stringify(call.arguments["data"]);
        return { ok: true as const, data: JSON.parse(text) as unknown };
      },
    },
    () => true,
  );
  const call = `{"connection":"local","tool":"ironflow_emit_event","arguments":{"data":${text}}}`;
  expect(await invokeText("main/tool:call", OURS, call)).toBe(`{"ok":true,"data":${text}}`);
  expect(given).toBe(text);
  takeBack();
});
