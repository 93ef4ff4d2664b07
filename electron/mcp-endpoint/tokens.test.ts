import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_TOKENS, openTokenStore, TokenRefused } from "./tokens.ts";

let folder: string;
let path: string;
let nowMs: number;
const now = () => new Date(nowMs);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-tokens-"));
  path = join(folder, "tokens.json");
  nowMs = Date.parse("2026-01-01T00:00:00Z");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe("agents' tokens", () => {
  it("open the door with the permissions they were made with, also after a restart", () => {
    const { token, info } = openTokenStore(path, now).create("claude", ["mcp.call", "mcp.write"]);
    expect(token).toMatch(/^ibk_[\w-]{43}$/);
    expect(info).toEqual({
      name: "claude",
      permissions: ["mcp.call", "mcp.write"],
      created_at: "2026-01-01T00:00:00.000Z",
    });
    const caller = openTokenStore(path, now).authenticate(token)?.caller;
    expect(caller).toEqual({ kind: "token", name: "claude", permissions: ["mcp.call", "mcp.write"] });
  });

  it("are nowhere on disk, and the file is for its owner only", () => {
    const { token } = openTokenStore(path, now).create("claude", ["mcp.call"]);
    expect(readFileSync(path, "utf8")).not.toContain(token.slice(4));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("open nothing from the moment they are revoked", () => {
    const store = openTokenStore(path, now);
    const { token } = store.create("claude", ["mcp.call"]);
    expect(store.revoke("claude")).toBe(true);
    expect(store.authenticate(token)).toBeUndefined();
    expect(openTokenStore(path, now).authenticate(token)).toBeUndefined();
    expect(store.revoke("claude")).toBe(false);
  });

  it("made again under the same name are another token", () => {
    const store = openTokenStore(path, now);
    const first = store.create("claude", ["mcp.call"]);
    const firstId = store.authenticate(first.token)?.tokenId;
    store.revoke("claude");
    const second = store.create("claude", ["mcp.call"]);
    expect(store.authenticate(first.token)).toBeUndefined();
    expect(store.authenticate(second.token)?.tokenId).not.toBe(firstId);
  });

  it.each(["claude", "CLAUDE", "local", "Local"])("cannot be made under the taken name %s", (name) => {
    const store = openTokenStore(path, now);
    store.create("claude", ["mcp.call"]);
    expect(() => store.assertFree(name)).toThrow(TokenRefused);
    expect(() => store.create(name, ["*"])).toThrow(TokenRefused);
    expect(store.list()).toHaveLength(1);
  });

  it("are bounded in number", () => {
    const tokens = Array.from({ length: MAX_TOKENS }, (_, at) => ({
      name: `t${at}`,
      permissions: ["mcp.call"],
      hash: at.toString(16).padStart(64, "0"),
      created_at: "2026-01-01T00:00:00.000Z",
    }));
    writeFileSync(path, JSON.stringify({ version: 1, tokens }));
    expect(() => openTokenStore(path, now).create("one more", ["mcp.call"])).toThrow(`${MAX_TOKENS} tokens`);
  });

  it("show when they were last used and what their client says of itself, without a write for every call", () => {
    const store = openTokenStore(path, now);
    store.create("claude", ["mcp.call"]);
    nowMs += 1_000;
    store.used("claude", "Claude Code 9");
    store.used("claude", undefined);
    expect(store.list()[0]).toMatchObject({
      last_used_at: "2026-01-01T00:00:01.000Z",
      client_claim: "Claude Code 9",
    });
    expect(openTokenStore(path, now).list()[0]?.last_used_at).toBeUndefined();
    nowMs += 60_000;
    store.used("claude", undefined);
    expect(openTokenStore(path, now).list()[0]?.last_used_at).toBe("2026-01-01T00:01:01.000Z");
    store.used("nobody", undefined);
    expect(store.list()).toHaveLength(1);
  });

  it("are told of whenever they change", () => {
    const told: string[][] = [];
    const store = openTokenStore(path, now, (tokens) => void told.push(tokens.map(({ name }) => name)));
    store.create("a", ["mcp.call"]);
    store.create("b", ["mcp.call"]);
    store.revoke("a");
    expect(told).toEqual([["a"], ["a", "b"], ["b"]]);
  });

  it("tell of their use now and then, not for every call", () => {
    let told = 0;
    const store = openTokenStore(path, now, () => void (told += 1));
    store.create("a", ["mcp.call"]);
    store.used("a", "x 1");
    for (let at = 0; at < 10; at += 1) store.used("a", "x 1");
    expect(told).toBe(2);
    nowMs += 5_000;
    store.used("a", "x 1");
    expect(told).toBe(3);
  });

  it("are none when the file cannot be understood, and the file is kept", () => {
    const { token } = openTokenStore(path, now).create("claude", ["mcp.call"]);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -5));
    const store = openTokenStore(path, now);
    expect(store.problem).toContain("the tokens made before no longer work");
    expect(store.authenticate(token)).toBeUndefined();
    expect(store.create("new", ["mcp.call"]).info.name).toBe("new");
  });

  it("that cannot be understood do not cost the others theirs", () => {
    const { token } = openTokenStore(path, now).create("claude", ["mcp.call"]);
    const other = openTokenStore(path, now).create("other", ["mcp.call"]);
    writeFileSync(path, readFileSync(path, "utf8").replace('"other"', '"../other"'));
    const store = openTokenStore(path, now);
    expect(store.problem).toContain("tokens.1: name: ");
    expect(store.problem).toContain("these tokens no longer work, the others do");
    expect(store.authenticate(token)?.caller.name).toBe("claude");
    expect(store.authenticate(other.token)).toBeUndefined();
  });

  it("are not made beside the file of a newer version, which stays as it is", () => {
    const { token } = openTokenStore(path, now).create("claude", ["mcp.call"]);
    const newer = readFileSync(path, "utf8").replace('"version": 1', '"version": 2');
    writeFileSync(path, newer);
    const store = openTokenStore(path, now);
    expect(store.problem).toContain("newer version of the app");
    expect(store.authenticate(token)).toBeUndefined();
    expect(() => store.create("new", ["mcp.call"])).toThrow(TokenRefused);
    store.flush();
    expect(readFileSync(path, "utf8")).toBe(newer);
  });
});
