import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer, RightsToAsk } from "../consent/consent.ts";
import type { Hub } from "../hub/hub.ts";
import { openTokenStore, type TokenStore } from "../mcp-endpoint/tokens.ts";
import { openSettings } from "../settings.ts";
import { tokenHandlers } from "./tokens.ts";
import { writesHandlers } from "./writes.ts";

const APPROVED: Answer = { approved: true };
const DECLINED: Answer = {
  approved: false,
  error: { error: "The person declined.", code: "permission_denied", reason: "declined", retryable: false },
};

let folder: string;
let asked: RightsToAsk[];
let answer: Answer;
let dropped: string[];
let limits: string[];
/** Tokens whose open questions were closed, because they may do less. */
let narrowed: string[];
let told: number;
const ending = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-rights-"));
  asked = [];
  answer = APPROVED;
  dropped = [];
  limits = [];
  narrowed = [];
  told = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const consent = {
  askRights: async (rights: RightsToAsk) => {
    asked.push(rights);
    return answer;
  },
};

describe("making a token", () => {
  let tokens: TokenStore;
  const handlers = () =>
    tokenHandlers({
      tokens,
      localToken: { name: "local", permissions: ["mcp.call"], file: "/profile/local-token" },
      consent,
      mcpUrl: "http://127.0.0.1:4100/mcp",
      dropCaller: async (name) => void dropped.push(name),
      onRightsChanged: () => void (told += 1),
      onNarrowed: (name) => void narrowed.push(name),
      onLimitChanged: (name) => void limits.push(name),
      ending,
    });
  beforeEach(() => {
    tokens = openTokenStore(join(folder, "tokens.json"), () => new Date());
  });

  it("asks the person, and hands the token out once with what to paste", async () => {
    const made = await handlers()["tokens:create"]({
      name: "claude",
      permissions: ["mcp.call", "mcp.terminal"],
    });
    expect(asked[0]?.details).toEqual([
      { label: "Name", text: "claude" },
      { label: "Permissions", text: "mcp.call, mcp.terminal" },
      { label: "Commands", text: "ask once per start of the app" },
    ]);
    expect(asked[0]?.effects.join(" ")).toContain("your own rights");
    if (!made.ok) throw new Error("expected a token");
    const { token, snippets } = made.created;
    expect(tokens.authenticate(token)?.caller.name).toBe("claude");
    expect(snippets.map(({ language }) => language)).toEqual(["shell", "json"]);
    expect(JSON.parse(snippets[1]?.text ?? "")).toMatchObject({
      mcpServers: {
        ironbridge: { url: "http://127.0.0.1:4100/mcp", headers: { Authorization: `Bearer ${token}` } },
      },
    });
    expect(JSON.stringify(await handlers()["tokens:list"]({}))).not.toContain(token);
  });

  it("keeps what was chosen about its commands, and does not ask about them where it may run none", async () => {
    const create = handlers()["tokens:create"];
    const [runner, reader] = [["mcp.call", "mcp.terminal"], ["mcp.call"]];
    await create({ name: "runner", permissions: runner, terminal_policy: "allow" });
    expect(asked[0]?.details).toContainEqual({ label: "Commands", text: "run without asking" });
    await create({ name: "reader", permissions: reader, terminal_policy: "each" });
    expect(asked[1]?.details.map(({ label }) => label)).not.toContain("Commands");
    expect(tokens.list().map((token) => token.terminal_policy)).toEqual(["allow", "each"]);
  });

  it.each(["cIaude", "Claude", "claude.", "LOCAL", "l0cal"])(
    "does not ask for a name that looks like another (%s)",
    async (name) => {
      tokens.create("claude", ["mcp.call"]);
      const made = await handlers()["tokens:create"]({ name, permissions: ["*"] });
      expect(made).toMatchObject({ ok: false, error: { code: "already_exists" } });
      expect(asked).toEqual([]);
    },
  );

  it("makes none when the person declines", async () => {
    answer = DECLINED;
    const made = await handlers()["tokens:create"]({ name: "claude", permissions: ["*"] });
    expect(made).toMatchObject({ ok: false, error: { reason: "declined" } });
    expect(tokens.list()).toEqual([]);
  });

  it("does not ask for a name that is taken", async () => {
    tokens.create("claude", ["mcp.call"]);
    const made = await handlers()["tokens:create"]({ name: "claude", permissions: ["*"] });
    expect(made).toMatchObject({ ok: false, error: { code: "already_exists" } });
    expect(asked).toEqual([]);
  });

  it("is undone at once, without a question, and the caller is dropped", async () => {
    tokens.create("claude", ["mcp.call"]);
    expect(await handlers()["tokens:revoke"]({ name: "claude" })).toEqual({ revoked: true });
    expect(await handlers()["tokens:revoke"]({ name: "claude" })).toEqual({ revoked: false });
    expect(dropped).toEqual(["claude"]);
    expect(asked).toEqual([]);
  });
});

describe("changing a token", () => {
  let tokens: TokenStore;
  let token: string;
  const change = (changes: object) =>
    tokenHandlers({
      tokens,
      localToken: { name: "local", permissions: ["mcp.call"], file: "/profile/local-token" },
      consent,
      mcpUrl: "",
      dropCaller: async () => {},
      onRightsChanged: () => void (told += 1),
      onNarrowed: (name) => void narrowed.push(name),
      onLimitChanged: (name) => void limits.push(name),
      ending,
    })["tokens:change"]({ name: "claude", ...changes });
  const now = () => tokens.authenticate(token)?.caller;
  beforeEach(() => {
    tokens = openTokenStore(join(folder, "tokens.json"), () => new Date());
    token = tokens.create("claude", ["mcp.call", "mcp.write"], { calls: 10, per_s: 60 }).token;
  });

  it.each([
    [{ permissions: ["mcp.call"] }, true],
    [{ permissions: ["mcp.write", "mcp.call"] }, false],
    [{ permissions: ["mcp.call", "mcp.write", "mcp.audit"] }, false],
    [{ permissions: ["mcp.*"] }, false],
    [{ terminal_policy: "each" as const }, true],
    [{ terminal_policy: "once" as const }, false],
    [{ terminal_policy: "allow" as const }, false],
    [{ rate_limit: { calls: 9, per_s: 60 } }, false],
  ])("[E6] to %o closes its open questions: %s", async (changes, closes) => {
    await change(changes);
    expect(narrowed).toEqual(closes ? ["claude"] : []);
  });

  it.each([
    ["fewer permissions", { permissions: ["mcp.call"] }, 0],
    ["the same permissions", { permissions: ["mcp.write", "mcp.call"] }, 0],
    ["one more permission", { permissions: ["mcp.call", "mcp.write", "mcp.audit"] }, 1],
    ["everything", { permissions: ["*"] }, 1],
    ["a lower limit", { rate_limit: { calls: 9, per_s: 60 } }, 0],
    ["a longer window", { rate_limit: { calls: 10, per_s: 61 } }, 0],
    ["a higher limit", { rate_limit: { calls: 11, per_s: 60 } }, 1],
    ["a shorter window", { rate_limit: { calls: 10, per_s: 59 } }, 1],
    ["no limit", { rate_limit: null }, 1],
  ])("to %s asks only where it gives more", async (_, changes, questions) => {
    const answered = await change(changes);
    expect(answered.ok).toBe(true);
    expect(asked).toHaveLength(questions);
    expect(told).toBe(1);
    const wanted = changes as { permissions?: string[]; rate_limit?: object | null };
    expect(now()?.permissions).toEqual(wanted.permissions ?? ["mcp.call", "mcp.write"]);
    const limit =
      wanted.rate_limit === undefined ? { calls: 10, per_s: 60 } : (wanted.rate_limit ?? undefined);
    expect(now()?.rateLimit).toEqual(limit);
    expect(limits).toEqual(wanted.rate_limit === undefined ? [] : ["claude"]);
  });

  it("changes nothing when the person declines, or when there is no such token", async () => {
    answer = DECLINED;
    expect(await change({ permissions: ["*"], rate_limit: { calls: 1, per_s: 60 } })).toMatchObject({
      ok: false,
    });
    expect(now()).toMatchObject({
      permissions: ["mcp.call", "mcp.write"],
      rateLimit: { calls: 10, per_s: 60 },
    });
    expect(await change({ name: "other", permissions: ["mcp.call"] })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
  });
});

describe("the switches of a connection", () => {
  const switches = { name: "Embedded engine", personMayWrite: true, agentsMayWrite: false, terminals: false };
  let set: unknown[];
  let changed: number;
  function handlers() {
    set = [];
    changed = 0;
    const link = {
      name: "Embedded engine",
      switches,
      meta: { connection: "local", kind: "embedded", url: "http://127.0.0.1:9123" },
      setWrites: (writes: unknown) => void set.push(writes),
      describe: () => ({ id: "local" }),
    };
    return writesHandlers({
      hub: { link: (id: string) => (id === "local" ? link : undefined) } as unknown as Hub,
      settings: openSettings(join(folder, "settings.json")),
      consent,
      onRightsChanged: () => void (changed += 1),
      ending,
    });
  }
  const kept = () => openSettings(join(folder, "settings.json")).stored.writes;

  it("ask before agents may write, and are kept", async () => {
    const row = { connection: "local", who: "agents", allowed: true } as const;
    expect((await handlers()["connections:set-writes"](row)).ok).toBe(true);
    expect(asked[0]?.engine).toMatchObject({ url: "http://127.0.0.1:9123" });
    expect([set, changed, kept()]).toEqual([[{ agents: true }], 1, { embedded: { agents: true } }]);
  });

  it("stay as they are when the person declines", async () => {
    answer = DECLINED;
    const row = { connection: "local", who: "agents", allowed: true } as const;
    expect(await handlers()["connections:set-writes"](row)).toMatchObject({ ok: false });
    expect([set, changed, kept()]).toEqual([[], 0, undefined]);
  });

  it("take rights away without a question", async () => {
    const row = { connection: "local", who: "person", allowed: false } as const;
    await handlers()["connections:set-writes"](row);
    expect([asked.length, set, kept()]).toEqual([0, [{ person: false }], { embedded: { person: false } }]);
  });

  it("are refused for a connection that does not exist", async () => {
    const row = { connection: "other", who: "agents", allowed: true } as const;
    expect(await handlers()["connections:set-writes"](row)).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    expect(asked).toEqual([]);
  });
});
